// SPDX-License-Identifier: Apache-2.0
#include "process/replay.hpp"

#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/definition.hpp"
#include "process/crowd.hpp"
#include "segment/clock.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using core_test::ReferenceRule;

namespace {

ReferenceRule rule_of(const LimitDefinition& definition) {
    return core_test::derive(std::get<core::LimitRecord>(core::to_record(definition)));
}

struct Line {
    std::uint64_t id;
    std::int64_t asked, decided, at;
    std::uint32_t weight;
    bool is_order;
    bool is_first_account;
};

struct Lines {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> some_lapsed{false};  ///< units were spent that no permit tells of
    std::array<Line, 20'000> lines;
};

std::int64_t now() {
    return PermitLog::count(BootClock::now());
}

struct Request {
    std::uint32_t weight;
    bool is_order;
    bool is_first_account;

    Cost cost(const Budget& budget) const {
        if (!is_order) return must(budget.cost({{"weight", weight}}));
        return must(budget.cost(
            {{"weight", weight}, {"orders", 1, is_first_account ? "acct:a" : "acct:b"}}));
    }
};

/// Reserves, so that the end of the planning commit is seen; then waits and confirms.
void draw(Budget& budget, const Request& request, Lines& log) {
    const Cost cost = request.cost(budget);
    Line line{0, now(), 0, 0, request.weight, request.is_order, request.is_first_account};
    Reservation reservation;
    auto decision = reserve_patiently(budget, cost, BootClock::now() + 1min, reservation);
    line.decided = now();
    while (!decision && reservation.id() != 0) {
        budget.wait(reservation, BootClock::now() + 1min);
        decision = confirm_patiently(budget, reservation);
    }
    if (!decision) {
        log.some_lapsed = true;
        return;
    }
    line.id = decision.permit().id();
    line.at = PermitLog::count(decision.permit().at());
    log.lines[log.next.fetch_add(1)] = line;
}

std::uint64_t late_hand_outs(const Snapshot& snapshot) {
    for (const auto& [name, count] : snapshot.counters) {
        if (name == std::string_view("late_hand_outs")) return count;
    }
    return 1;
}

std::vector<replay::Given> given_of(const Lines& log) {
    std::vector<replay::Given> given;
    for (std::size_t i = 0; i < log.next; ++i) {
        const Line& line = log.lines[i];
        replay::Given each{line.id, line.asked, line.decided, line.at, {{0, {}, line.weight}}};
        if (line.is_order) each.draws.push_back({1, line.is_first_account ? "a" : "b", 1});
        given.push_back(each);
    }
    return given;
}

}  // namespace

TEST_CASE("G5: what forty processes were given is what the reference model plans for them") {
    auto weight = fixed("weight", 900, 2s);
    weight.spread = true;
    weight.largest_cost = 50;
    weight.slack = 500ms;
    auto orders = per_account(rolling("orders", 20, 1, 2s));
    orders.slack = 500ms;
    const std::vector limits{weight, orders};
    const std::vector rules{rule_of(weight), rule_of(orders)};
    // A host that is short of processors may hand a permit out too late: its units are spent, and
    // no log knows it. Such a run proves nothing and is made again.
    for (int round = 0; round < 3; ++round) {
        ScratchDirectory directory;
        Shared<Lines> log;
        Crowd crowd(40, limits, {.full = true}, [&](Budget& budget, int member) {
            constexpr std::uint32_t weights[] = {1, 5, 10, 25, 50};
            for (int call = 0; call < 6; ++call) {
                const Request request{member % 2 == 0 ? weights[(member + call) % 5] : 1,
                                      member % 2 != 0, member % 4 == 1};
                draw(budget, request, *log);
            }
            return 0;
        });
        crowd.open();
        REQUIRE(crowd.join() == 0);
        const auto snapshot = must(read_snapshot("budget"));
        if (log->some_lapsed || late_hand_outs(snapshot) != 0) continue;
        const auto given = given_of(*log);
        REQUIRE(given.size() == 240);
        const auto result = replay::plan_again(rules, snapshot.utc_offset, given);
        for (const auto& other : result.others) UNSCOPED_INFO(other);
        CHECK(result.same == 240);
        CHECK(result.others.empty());
        // The model tells a permit that is 1 ns off.
        auto forged = given;
        forged[100].at += 1;
        forged[100].decided = forged[100].at - 1;
        CHECK_FALSE(replay::plan_again(rules, snapshot.utc_offset, forged).others.empty());
        return;
    }
    WARN("every run had a late hand-out: nothing was compared");
}

// RATECOORD_REPLAY_LOG names the calls.jsonl that the scene two-limits of ratecoord-demo keeps.
TEST_CASE("G5: the demo's scene of two limits, replayed", "[.][replay-log]") {
    const char* const path = std::getenv("RATECOORD_REPLAY_LOG");
    REQUIRE(path != nullptr);
    auto weight = fixed("weight", 6000, 10s);
    weight.spread = true;
    weight.largest_cost = 50;
    auto orders = per_account(rolling("orders", 50, 1, 10s));
    orders.slack = 50ms;
    std::vector<replay::Given> given;
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        const auto line = nlohmann::json::parse(text);
        if (line.at("event") != "call") continue;
        replay::Given each{
            line.at("permit"), line.at("asked_ns"), line.at("granted_ns"), line.at("at_ns"), {}};
        for (const auto& [limit, units] : line.at("cost").items()) {
            each.draws.push_back(
                {limit == "weight" ? 0U : 1U, line.at("keys").value(limit, std::string()), units});
        }
        given.push_back(each);
    }
    REQUIRE_FALSE(given.empty());
    // The state's offset: the first permit of a window stands exactly at its begin and slack.
    const std::int64_t window = weight.window.count();
    const auto rough = segment::SystemClock::instance().utc_offset();
    std::int64_t offset = rough;
    for (const auto& each : given) {
        const auto off = core_test::aligned(each.at + rough, window) + weight.slack.count() - rough;
        if (std::abs(each.at - off) < 5'000'000) offset = rough + off - each.at;
    }
    const auto result = replay::plan_again({rule_of(weight), rule_of(orders)}, offset, given);
    for (std::size_t i = 0; i < result.others.size() && i < 20; ++i) WARN(result.others[i]);
    WARN(result.same << " of " << given.size() << " permits stand where the model puts them");
    CHECK(result.others.empty());
}
