// SPDX-License-Identifier: Apache-2.0
//
// How long the others stand still when the holder of the lock is killed, or stopped, in the middle
// of a commit (G4).
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures.hpp"
#include "segment/segment.hpp"
#include "stage.hpp"
#include "verdicts.hpp"

namespace {

using ratecoord::core::Instant;
using ratecoord::core::Rules;
using ratecoord::core::State;
using ratecoord::segment::Segment;

constexpr double takeover_ms = static_cast<double>(ratecoord::segment::takeover_ns) / 1e6;
constexpr int holders = 300;

std::unique_ptr<Segment> attach(const std::string& name) {
    return bench::must(
        Segment::attach(bench::must(ratecoord::segment::place_of(name)), {.label = "bench"}));
}

/// Takes the lock in a process of its own, and leaves by `end` inside the commit.
pid_t holder(const std::string& name, int end) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    auto segment = attach(name);
    segment->commit(segment->clock().boot() + ratecoord::core::second_ns,
                    [&](State&, const Rules&, Instant) {
                        ::raise(end);
                        return false;
                    });
    ::_exit(0);
}

/// A commit's length, in milliseconds, each right after a holder went.
std::vector<double> measure(bench::Stage& stage, int end) {
    const auto name = stage.fresh_name();
    const auto budget = bench::create(name, bench::roomy_limits(3), 512, 1024);
    const auto segment = attach(name);
    std::vector<double> lengths;
    for (int i = 0; i < holders; ++i) {
        const pid_t pid = holder(name, end);
        int status = 0;
        if (pid < 0 || ::waitpid(pid, &status, WUNTRACED) != pid) {
            bench::give_up("a holder could not be started");
        }
        const auto before = segment->clock().boot();
        const auto done = segment->commit(before + ratecoord::core::second_ns,
                                          [](State&, const Rules&, Instant) { return true; });
        lengths.push_back(static_cast<double>(segment->clock().boot() - before) / 1e6);
        if (WIFSTOPPED(status)) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, &status, 0);
        }
        if (!done.ok()) bench::give_up("the lock was not taken over");
    }
    return lengths;
}

void add(bench::Verdicts& verdicts, const std::string& what, const std::vector<double>& lengths) {
    verdicts.add(what + ", median", bench::median(lengths), "ms");
    verdicts.add(what + ", p99", bench::quantile(lengths, 0.99), "ms",
                 bench::Bar::at_most(2 * takeover_ms));
}

}  // namespace

int main() {
    return bench::run_program([] {
        bench::Stage stage;
        bench::Verdicts verdicts("ratecoord_takeover");
        verdicts.add("takeover time", takeover_ms, "ms");
        add(verdicts, "commit after a holder was killed", measure(stage, SIGKILL));
        add(verdicts, "commit after a holder was stopped", measure(stage, SIGSTOP));
        return verdicts.finish();
    });
}
