// SPDX-License-Identifier: Apache-2.0
//
// Limits that change through the daemon while everybody wants more than there is.
#include <fstream>
#include <vector>

#include "daemon/notify_socket.hpp"
#include "support/child_process.hpp"
#include "support/limits.hpp"
#include "support/permit_log.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr auto window = 100ms;
constexpr auto slack = 50ms;
constexpr int workers = 4;
constexpr int changes = 100;

struct Stage {
    std::atomic<int> stop{0};
    std::atomic<int> errors{0};
    PermitLog permits;
};

/// From `from` to `until` the quota may have been in force.
struct Era {
    std::int64_t from;
    std::int64_t until;
    std::uint64_t quota;
};

int work(Stage& stage, int worker) {
    auto budget = Budget::attach("acme");
    const auto cost = budget ? budget->cost({{"weight", 1}}) : tl::unexpected(budget.error());
    if (!cost) ++stage.errors;
    while (cost && stage.stop == 0) {
        const auto decision = budget->acquire(*cost, 1s);
        if (!decision) {
            ++stage.errors;
            break;
        }
        if (*decision) stage.permits.add(decision->permit(), 1, worker);
    }
    return 0;
}

std::int64_t now() {
    return PermitLog::count(BootClock::now());
}

class Host {
  public:
    Host() {
        std::ofstream(scratch_.path() + "/acme.toml")
            << "schema = 1\nname = \"acme\"\ntitle = \"Acme\"\nas_of = 2030-01-01\n"
               "source = \"nobody\"\nconfidence = \"A\"\n"
               "[limits.weight]\nkind = \"rolling\"\nquota = 100\nwindow = \"100ms\"\n"
               "slack = \"50ms\"\n";
        configure(100);
        daemon_ =
            std::make_unique<Program>("coordinatord", std::vector<std::string>{"--config", file_});
        REQUIRE_FALSE(systemd_.wait_for("READY=1").empty());
        eras.push_back({now(), 0, 100});
    }
    /// Returns once the new quota is in force, and the old one's windows are over.
    void change(std::uint64_t quota, bool by_ratectl) {
        configure(quota);
        const auto before = now();
        if (by_ratectl) {
            REQUIRE(Program("ratectl", {"reload"}).wait() == 0);
        } else {
            daemon_->send(SIGHUP);
        }
        const auto in_force = [] {
            return read_snapshot("acme").value().limits.at(0).definition.quota;
        };
        for (int ticks = 0; ticks < 100 && in_force() != quota; ++ticks) {
            REQUIRE(systemd_.pass_a_tick());
        }
        REQUIRE(in_force() == quota);
        eras.back().until = now();
        eras.push_back({before, 0, quota});
        const auto settled = BootClock::now() + window + slack;
        while (BootClock::now() < settled) REQUIRE(systemd_.pass_a_tick());
    }
    void end() { eras.back().until = now(); }
    std::vector<Era> eras;

  private:
    void configure(std::uint64_t quota) const {
        std::ofstream(file_) << "schema = 1\ninterval = \"100ms\"\n[watch]\nclock = false\n"
                                "[budgets.acme.limits.weight]\nquota = "
                             << quota << '\n';
    }

    ScratchDirectory scratch_;
    NotifySocket systemd_{scratch_.path()};
    std::string file_ = scratch_.path() + "/coordinatord.toml";
    std::unique_ptr<Program> daemon_;
};

/// The largest quota that any moment of a window knew.
std::uint64_t most_allowed(const std::vector<Era>& eras, std::int64_t from, std::int64_t until) {
    std::uint64_t most = 0;
    for (const auto& era : eras) {
        if (era.from < until && from <= era.until) most = std::max(most, era.quota);
    }
    return most;
}

struct Findings {
    int over = 0;         ///< windows that held more than any rule of theirs allowed
    int of_one_rule = 0;  ///< windows that no change touched
    int full = 0;         ///< of these, those that were used to nine tenths
};

/// Each permit begins a window.
Findings check(const std::vector<PermitLine>& lines, const std::vector<Era>& eras) {
    Findings found;
    const auto length = std::chrono::nanoseconds(window + slack).count();
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < lines.size(); ++begin) {
        const auto from = lines[begin].at;
        while (end < lines.size() && lines[end].at < from + length) ++end;
        const auto held = end - begin;
        const auto allowed = most_allowed(eras, from, from + length);
        if (held > allowed) ++found.over;
        int rules = 0;
        for (const auto& era : eras) rules += era.from < from + length && from <= era.until;
        if (rules != 1) continue;
        ++found.of_one_rule;
        if (held * 10 >= allowed * 9) ++found.full;
    }
    return found;
}

}  // namespace

TEST_CASE(
    "G1: limits lowered and raised a hundred times under saturation: no window holds more than "
    "a rule of its time allows") {
    Shared<Stage> stage;
    std::vector<ChildProcess> children;
    Host host;
    for (int worker = 0; worker < workers; ++worker) {
        children.emplace_back([&] { return work(*stage, worker); });
    }
    constexpr std::uint64_t quotas[] = {40, 100, 10, 70};
    for (int i = 0; i < changes; ++i) host.change(quotas[i % 4], i % 10 == 0);
    stage->stop = 1;
    for (auto& child : children) CHECK(child.wait() == 0);
    host.end();
    const auto lines = stage->permits.sorted();
    const auto found = check(lines, host.eras);
    WARN(lines.size() << " permits over " << host.eras.size() - 1 << " changes; "
                      << found.of_one_rule << " windows of one rule, " << found.full
                      << " of them full; " << found.over << " over");
    CHECK(stage->errors == 0);
    CHECK(stage->permits.next <= PermitLog::most);
    CHECK(found.over == 0);
    CHECK(found.of_one_rule > 100);
    CHECK(found.full > 0);
}
