// SPDX-License-Identifier: Apache-2.0
//
// Workers of several builds of the library on one segment, killed and stopped at random.
#include <array>
#include <random>
#include <sstream>

#include "fault/storm_balance.hpp"
#include "support/child_process.hpp"
#include "support/scratch_directory.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Build {
    std::string name;
    std::string program;  ///< empty: this one, whose workers are forked
    int lives = 0;
    int stops = 0;
};

/// This build, and those that CMake made: "name=path,name=path".
std::vector<Build> all_builds() {
    std::vector<Build> builds = {{"this one", "", 0, 0}};
    std::istringstream list(RATECOORD_STORM_WORKERS);
    for (std::string entry; std::getline(list, entry, ',');) {
        const auto split = entry.find('=');
        builds.push_back({entry.substr(0, split), entry.substr(split + 1), 0, 0});
    }
    return builds;
}

int execute(std::string program, std::string ledger, std::string worker, std::string seed) {
    char* arguments[] = {program.data(), ledger.data(), worker.data(), seed.data(), nullptr};
    ::execv(program.c_str(), arguments);
    return 97;
}

class Storm {
  public:
    Storm(Ledger& ledger, std::string path, unsigned seed)
        : ledger_(ledger), path_(std::move(path)), random_(seed), builds_(all_builds()) {
        for (int worker = 0; worker < Ledger::workers; ++worker) start(worker);
    }
    /// Three strikes of four kill, the others stop and continue; whoever was killed is followed by
    /// one of any build.
    int rage(int kills) {
        int killed = 0;
        while (killed < kills && ledger_.errors == 0) {
            const int worker = static_cast<int>(random_() % Ledger::workers);
            auto& child = children_[static_cast<std::size_t>(worker)];
            let_work(ledger_, random_() % 8);
            spin(random_() % 500'000);
            if (random_() % 4 == 0) {
                child.send(SIGSTOP);
                let_work(ledger_, 1 + random_() % 16);
                child.send(SIGCONT);
                ++build_of(worker).stops;
                continue;
            }
            child.end();
            ++killed;
            start(worker);
        }
        return killed;
    }
    /// How many did not end well.
    int end() {
        ledger_.stop = 1;
        int failed = 0;
        for (auto& child : children_) failed += child.wait() == 0 ? 0 : 1;
        return failed;
    }
    const std::vector<Build>& builds() const { return builds_; }

  private:
    Build& build_of(int worker) { return builds_[kinds_[static_cast<std::size_t>(worker)]]; }
    void start(int worker) {
        const auto i = static_cast<std::size_t>(worker);
        kinds_[i] = random_() % builds_.size();
        auto& build = build_of(worker);
        ++build.lives;
        const auto seed = static_cast<unsigned>(random_());
        children_[i] = ChildProcess([&]() -> int {
            if (build.program.empty()) return live(ledger_, worker, seed);
            return execute(build.program, path_, std::to_string(worker), std::to_string(seed));
        });
    }

    Ledger& ledger_;
    std::string path_;
    std::mt19937 random_;
    std::vector<Build> builds_;
    std::array<std::size_t, Ledger::workers> kinds_{};
    std::array<ChildProcess, Ledger::workers> children_;
};

void run(int kills) {
    const unsigned seed = testing::seed();
    INFO("RATECOORD_SEED=" << seed);
    const ScratchDirectory directory;
    const auto path = directory.path() + "/ledger";
    SharedFile<Ledger> ledger(path);
    auto keeper = must(Budget::open("budget", {storm_rule()}, storm_sizes()));
    Storm storm(*ledger, path, seed);
    const int killed = storm.rage(kills);
    const int failed = storm.end();
    std::string lives;
    for (const auto& build : storm.builds()) {
        lives += ", " + build.name + ' ' + std::to_string(build.lives) + " lives and " +
                 std::to_string(build.stops) + " stops";
        CHECK(build.lives > 0);
    }
    WARN("seed " << seed << ": " << killed << " kills" << lives << "; "
                 << ledger->sum(&Ledger::Line::calls) << " calls, " << ledger->permits.next
                 << " permits; told that it was too busy: " << ledger->busy << "; first error: "
                 << name_of(static_cast<ErrorCode>(ledger->first_error.load())));
    CHECK(storm.builds().size() > 1);
    CHECK(failed == 0);
    REQUIRE(ledger->permits.next < PermitLog::most);
    check_balance(*ledger, keeper, killed);
}

}  // namespace

TEST_CASE(
    "G1, G4: several builds of the library on one segment: whoever is killed or stopped, the "
    "ledger balances and nobody is wedged") {
    run(500);
}

TEST_CASE("G1, G4: 20,000 kills among several builds", "[.][nightly]") {
    run(20'000);
}
