// SPDX-License-Identifier: Apache-2.0
//
// One commit, run instruction by instruction under ptrace, and killed or frozen after exactly k.
#include <sys/ptrace.h>

#include <algorithm>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::ChildProcess;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity roomy{.clients = 2000, .reservations = 1, .limits = 16, .keys = 1};
constexpr std::uint16_t survivors_line = 0;
constexpr std::uint16_t victims_line = 1;

/// Attaches, commits once to be warm, stops; commits once more; stops again.
ChildProcess victim(const Place& place) {
    return ChildProcess([&] {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        const auto own = Segment::attach(place, {.label = "victim"});
        if (!own || !testing::draw(**own, victims_line).published) return 1;
        ::raise(SIGSTOP);
        const bool fine = testing::draw(**own, victims_line).published;
        ::raise(SIGSTOP);
        return fine ? 0 : 1;
    });
}

/// Waits for a stop of the victim: SIGSTOP where it says so itself, SIGTRAP after a step.
int next_stop(const ChildProcess& child) {
    int status = 0;
    if (::waitpid(child.pid(), &status, 0) != child.pid() || !WIFSTOPPED(status)) return -1;
    return WSTOPSIG(status);
}

/// Lets it run `instructions`; how many there were if it reached its second stop before.
std::uint64_t step(const ChildProcess& child, std::uint64_t instructions) {
    for (std::uint64_t done = 0; done < instructions; ++done) {
        ::ptrace(PTRACE_SINGLESTEP, child.pid(), nullptr, nullptr);
        if (next_stop(child) != SIGTRAP) return done;
    }
    return instructions;
}

bool run_to_second_stop(const ChildProcess& child) {
    for (int stops = 0; stops < 100; ++stops) {
        ::ptrace(PTRACE_CONT, child.pid(), nullptr, nullptr);
        const int signal = next_stop(child);
        if (signal == SIGSTOP) return true;
        if (signal != SIGTRAP) return false;
    }
    return false;
}

struct Tally {
    int old_state = 0;
    int new_state = 0;
    std::int64_t longest = 0;
};

std::uint64_t count_instructions(const Place& place) {
    auto child = victim(place);
    REQUIRE(next_stop(child) == SIGSTOP);
    return step(child, 1'000'000);
}

testing::Ledger survivor_goes_on(Segment& survivor, Tally& tally) {
    const auto before = monotonic_now();
    REQUIRE(testing::draw(survivor, survivors_line).published);
    tally.longest = std::max(tally.longest, monotonic_now() - before);
    const auto ledger = testing::read_ledger(survivor.view());
    REQUIRE(ledger);
    CHECK(ledger->adds_up);
    return *ledger;
}

void kill_after(std::uint64_t k, const Place& place, Segment& survivor, Tally& tally) {
    auto child = victim(place);
    REQUIRE(next_stop(child) == SIGSTOP);
    const auto before = testing::read_ledger(survivor.view()).value().lines[victims_line];
    step(child, k);
    child.end();
    const auto after = survivor_goes_on(survivor, tally).lines[victims_line];
    CHECK((after == before || after == before + 1));
    after == before ? ++tally.old_state : ++tally.new_state;
}

void freeze_after(std::uint64_t k, const Place& place, Segment& survivor, Tally& tally) {
    auto child = victim(place);
    REQUIRE(next_stop(child) == SIGSTOP);
    const auto before = testing::read_ledger(survivor.view()).value().lines[victims_line];
    const bool finished = step(child, k) < k;
    const auto frozen = survivor_goes_on(survivor, tally).lines[victims_line];
    CHECK((frozen == before || frozen == before + 1));
    frozen == before ? ++tally.old_state : ++tally.new_state;
    if (!finished) REQUIRE(run_to_second_stop(child));
    const auto thawed = testing::read_ledger(survivor.view()).value();
    CHECK(thawed.adds_up);
    CHECK(thawed.lines[victims_line] == before + 1);
    child.end();
}

/// Steps cost some 10 us each, and an unoptimised commit has twenty times the instructions.
constexpr std::uint64_t steps_in_all = 400'000;

std::vector<std::uint64_t> points_of(std::uint64_t instructions, bool every) {
    const auto count = std::clamp<std::uint64_t>(2 * steps_in_all / instructions, 24, 150);
    const auto width = every ? 1 : std::max<std::uint64_t>(1, instructions / count);
    std::vector<std::uint64_t> points;
    for (std::uint64_t k = 0; k < instructions; k += width) points.push_back(k);
    points.push_back(instructions);
    return points;
}

template <class Strike>
void sample(bool every, Strike&& strike) {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    const auto survivor = testing::create_ledger(place, roomy).value();
    const auto instructions = count_instructions(place);
    Tally tally;
    const auto nothing = [](core::State&, const core::Rules&, core::Instant, std::uint16_t,
                            std::uint32_t) { return false; };
    int struck = 0;
    for (const auto k : points_of(instructions, every)) {
        strike(k, place, *survivor, tally);
        if (++struck % 64 == 0) (void)survivor->sweep(nothing, core::far);
    }
    WARN(struck << " points of " << instructions << " instructions; after the strike "
                << tally.old_state << " old, " << tally.new_state
                << " new; the survivor's longest commit " << tally.longest / 1'000 << " us");
    CHECK(tally.old_state > 0);
    CHECK(tally.new_state > 0);
}

}  // namespace

TEST_CASE("G4, C01: killed after k instructions of a commit: the state is the old or the new one") {
    sample(false, kill_after);
}

TEST_CASE(
    "G4: frozen after k instructions of a commit: others go on, and after the thaw each counts "
    "once") {
    sample(false, freeze_after);
}

TEST_CASE("G4: killed after every single instruction", "[.][every-instruction]") {
    sample(true, kill_after);
}

TEST_CASE("G4: frozen after every single instruction", "[.][every-instruction]") {
    sample(true, freeze_after);
}
