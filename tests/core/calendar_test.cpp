// SPDX-License-Identifier: Apache-2.0
//
// Confirming, cancelling, giving back, and a calendar that fills up.
#include <cstring>

#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr Instant t = 1000 * s;

/// One unit each 1.1 s.
LimitRecord slow() {
    return record_of(limit(LimitKind::rolling, 10, 10 * s, 1, s));
}

std::uint64_t wait(ScratchBudget& budget, Instant now, std::uint16_t slot = 1) {
    Request request = request_of({{0, 1}}, far, Lane::normal, Intent::open, slot);
    const Answer answer = budget.ask(request, now);
    REQUIRE(answer.verdict == Verdict::reserved);
    return answer.id;
}

}  // namespace

TEST_CASE("a reservation is handed out from its instant until half the slack later, once") {
    ScratchBudget budget({slow()});
    REQUIRE(budget.take(t));
    const std::uint64_t id = wait(budget, t);
    const Instant at = t + 1100 * ms;
    const Answer early = budget.confirm_at(id, at - 1);
    REQUIRE(early.verdict == Verdict::reserved);
    REQUIRE(early.at == at);
    REQUIRE(budget.where(id, at - 1).verdict == Verdict::reserved);
    SECTION("exactly at its instant") {
        const Answer granted = budget.confirm_at(id, at);
        REQUIRE(granted.verdict == Verdict::granted);
        REQUIRE(granted.at == at);
        REQUIRE(granted.valid_until == at + s);
        REQUIRE(budget.confirm_at(id, at).verdict == Verdict::gone);
        REQUIRE(budget.where(id, at).verdict == Verdict::gone);
    }
    SECTION("at the last instant") {
        REQUIRE(budget.confirm_at(id, at + 500 * ms).verdict == Verdict::granted);
    }
    SECTION("one nanosecond too late it is gone and stays spent") {
        REQUIRE(budget.where(id, at + 500 * ms + 1).verdict == Verdict::gone);
        REQUIRE(budget.confirm_at(id, at + 500 * ms + 1).verdict == Verdict::gone);
        REQUIRE_FALSE(budget.take(at + 1100 * ms - 1));
        REQUIRE(budget.take(at + 1100 * ms));
    }
    SECTION("by nobody but its owner") {
        REQUIRE(budget.confirm_at(id, at, 2).verdict == Verdict::gone);
        REQUIRE(confirm(budget.state(), budget.rules(), id, 1, 2, at).verdict == Verdict::gone);
        REQUIRE(budget.where(id, at, 2).verdict == Verdict::gone);
        REQUIRE_FALSE(budget.cancel_at(id, at - 1, 2));
    }
}

TEST_CASE("G1: a permit that lapsed behind one that still stands is not handed out") {
    // Found by the reference calendar: what cannot be charged yet, because an earlier one on its
    // cell may still be confirmed, was handed out however late.
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 10, 60 * s, 1, s)),
                          record_of(limit(LimitKind::rolling, 10, 10 * s, 1, s))});
    const Answer stands = budget.ask({{0, 1}}, 1000 * s, far);
    REQUIRE(stands.verdict == Verdict::granted);
    REQUIRE(budget.ask({{0, 9}}, 1000 * s).verdict == Verdict::granted);
    const Answer earlier = budget.ask({{0, 1}}, 1000 * s, far);
    REQUIRE(budget.ask({{1, 1}}, earlier.at - 100 * ms).verdict == Verdict::granted);
    const Answer later = budget.ask({{0, 1}, {1, 1}}, earlier.at - 100 * ms, far);
    REQUIRE(later.at == earlier.at + s);
    const Instant late = later.hand_out_until + 1;
    REQUIRE(earlier.hand_out_until > late);
    REQUIRE(budget.confirm_at(later.id, late).verdict == Verdict::gone);
    REQUIRE(budget.confirm_at(earlier.id, late).verdict == Verdict::granted);
    REQUIRE(budget.state().entries().empty());
    REQUIRE(budget.state().cells()[0].lane[0].used == 2);
}

TEST_CASE("a lapse that a replan meets before it was charged stays spent") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 10, 60 * s, 1, s)),
                          record_of(limit(LimitKind::rolling, 10, 10 * s, 1, s))});
    REQUIRE(budget.ask({{0, 10}}, 1000 * s).verdict == Verdict::granted);
    const Answer earlier = budget.ask({{0, 1}}, 1000 * s, far);
    const Answer later = budget.ask({{0, 1}, {1, 1}}, 1000 * s, far);
    REQUIRE(later.at == earlier.at);
    const Instant late = later.hand_out_until + 1;
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::manual, none, late + s, late));
    budget.freshen(late);
    REQUIRE(budget.entry(later.id) == nullptr);
    REQUIRE(budget.entry(earlier.id)->at == late + s);
    REQUIRE(budget.state().cells()[0].lane[0].used == 1);
}

TEST_CASE("cancelling a reservation frees its units exactly") {
    ScratchBudget budget({slow(), record_of(limit(LimitKind::fixed, 5, 60 * s, 1, s))});
    REQUIRE(budget.ask({{0, 1}, {1, 2}}, t).verdict == Verdict::granted);
    wait(budget, t);
    const auto cells = [&] {
        return std::vector<Cell>(budget.state().cells().begin(), budget.state().cells().end());
    };
    const auto before = cells();
    const Answer answer = budget.ask({{0, 1}, {1, 3}}, t, far);
    const std::uint64_t last = wait(budget, t);
    REQUIRE(budget.entry(last)->at == t + 3 * 1100 * ms);
    REQUIRE(budget.cancel_at(answer.id, t + ms));
    REQUIRE(std::memcmp(before.data(), budget.state().cells().data(),
                        before.size() * sizeof(Cell)) == 0);
    // The one behind moved up to the instant that came free.
    REQUIRE(budget.entry(last)->at == t + 2 * 1100 * ms);
    REQUIRE_FALSE(budget.cancel_at(answer.id, t + ms));
    REQUIRE(budget.ask({{1, 3}}, t + ms).verdict == Verdict::granted);
}

TEST_CASE("a reservation whose instant has come cannot be cancelled") {
    ScratchBudget budget({slow()});
    REQUIRE(budget.take(t));
    const std::uint64_t id = wait(budget, t);
    REQUIRE_FALSE(budget.cancel_at(id, t + 1100 * ms));
    REQUIRE(budget.confirm_at(id, t + 1100 * ms).verdict == Verdict::granted);
    REQUIRE_FALSE(budget.cancel_at(id, t + 1200 * ms));
}

TEST_CASE("G5: a small request goes before a large one only where that does not delay it") {
    ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, 10 * s, 4, s))});
    const std::int64_t unit = 11 * s / 7 + 1;
    REQUIRE(budget.take(t, 4));
    const Answer large = budget.ask({{0, 4}}, t, far);
    REQUIRE(large.at <= t + 4 * unit);
    const Answer small = budget.ask({{0, 1}}, t + unit, far);
    REQUIRE(small.at > large.at);
    // Once the large one may only go later for another reason, the small one fits before it.
    ScratchBudget other({record_of(limit(LimitKind::rolling, 10, 10 * s, 4, s)),
                         record_of(limit(LimitKind::rolling, 1, 100 * s, 1, s))});
    REQUIRE(other.ask({{0, 4}, {1, 1}}, t).verdict == Verdict::granted);
    REQUIRE(other.ask({{0, 4}, {1, 1}}, t, far).at == t + 101 * s);
    REQUIRE(other.ask({{0, 1}}, t + unit).verdict == Verdict::granted);
}

TEST_CASE("units come back from a fixed limit while the permit's window runs, and nowhere else") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 5, 60 * s, 1, s)), slow(),
                          record_of(limit(LimitKind::bucket, 10, s, 20))});
    Request request = request_of({{0, 5}, {1, 1}, {2, 3}});
    const Instant start = 1020 * s;
    const Answer permit = budget.ask(request, start + 10 * s);
    REQUIRE(permit.verdict == Verdict::granted);
    const Instant rolling_full = budget.state().cells()[1].lane[0].full_at;
    const Instant bucket_full = budget.state().cells()[2].lane[0].full_at;
    const auto back = [&](Instant now) {
        const auto units = give_back(budget.state(), budget.rules(), permit.id, request,
                                     permit.critical_mask, permit.at, now);
        budget.freshen(now);
        return units;
    };
    SECTION("in its window") {
        REQUIRE(back(start + 59 * s) == 5);
        REQUIRE(budget.state().cells()[0].lane[0].used == 0);
    }
    SECTION("after its window") {
        REQUIRE(back(start + 60 * s) == 0);
        REQUIRE(budget.state().cells()[0].lane[0].used == 5);
    }
    REQUIRE(budget.state().cells()[1].lane[0].full_at == rolling_full);
    REQUIRE(budget.state().cells()[2].lane[0].full_at == bucket_full);
}

TEST_CASE("a reservation that was never confirmed is not given back") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 1, 60 * s, 1, s))});
    REQUIRE(budget.take(t));
    Request request = request_of({{0, 1}}, far);
    const Answer waits = budget.ask(request, t);
    REQUIRE(waits.verdict == Verdict::reserved);
    REQUIRE(give_back(budget.state(), budget.rules(), waits.id, request, 0, waits.at, waits.at) ==
            0);
    REQUIRE(budget.confirm_at(waits.id, waits.at).verdict == Verdict::granted);
    REQUIRE_FALSE(budget.take(waits.at));
}

TEST_CASE("a confirmed permit that is not charged yet is given back too") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 2, 60 * s, 1, s))});
    REQUIRE(budget.take(t, 2));
    const Answer first = budget.ask({{0, 1}}, t, far);
    Request request = request_of({{0, 1}}, far);
    const Answer second = budget.ask(request, t);
    REQUIRE(first.at == second.at);
    REQUIRE(budget.confirm_at(second.id, second.at).verdict == Verdict::granted);
    REQUIRE(budget.entry(second.id) != nullptr);
    REQUIRE(give_back(budget.state(), budget.rules(), second.id, request, 0, second.at,
                      second.at + s) == 1);
    budget.freshen(second.at + s);
    REQUIRE(budget.confirm_at(first.id, second.at + s).verdict == Verdict::granted);
    REQUIRE(budget.take(second.at + s));
    REQUIRE_FALSE(budget.take(second.at + s));
}

TEST_CASE("a quarter of the calendar belongs to one client and the last eighth is critical") {
    ScratchBudget budget({slow()});  // 64 places
    REQUIRE(budget.take(t));
    for (int i = 0; i < 16; ++i) wait(budget, t, 1);
    const auto verdict = [&](std::uint16_t slot, Lane lane) {
        Request request = request_of({{0, 1}}, far, lane, Intent::open, slot);
        return budget.ask(request, t).verdict;
    };
    REQUIRE(verdict(1, Lane::normal) == Verdict::calendar_full);
    REQUIRE(verdict(1, Lane::critical) == Verdict::calendar_full);
    for (std::uint16_t i = 16; i < 56; ++i) wait(budget, t, static_cast<std::uint16_t>(i / 8 + 10));
    REQUIRE(verdict(2, Lane::normal) == Verdict::calendar_full);
    for (int i = 0; i < 8; ++i) REQUIRE(verdict(3, Lane::critical) == Verdict::reserved);
    REQUIRE(verdict(4, Lane::critical) == Verdict::calendar_full);
    REQUIRE(valid(budget.state()));
    // What goes at once needs no place.
    REQUIRE(budget.state().entries().back().at < t + 100 * s);
    REQUIRE(verdict(5, Lane::normal) == Verdict::calendar_full);
}

TEST_CASE("a dead client's reservations leave, what it confirmed stays spent") {
    ScratchBudget budget({slow()});
    REQUIRE(budget.take(t));
    const std::uint64_t confirmed = wait(budget, t, 2);
    wait(budget, t, 2);
    const std::uint64_t other = wait(budget, t, 3);
    REQUIRE(budget.confirm_at(confirmed, t + 1100 * ms, 2).verdict == Verdict::granted);
    REQUIRE(lapse_slot(budget.state(), 2, 7) == 0);
    REQUIRE(lapse_slot(budget.state(), 2, 1) == 1);
    budget.freshen(t + 1200 * ms);
    REQUIRE(budget.entry(other)->at == t + 2200 * ms);
    REQUIRE(budget.state().entries().size() == 1);
}

TEST_CASE("a replan of 512 reservations takes eight steps, and no step moves more than 64") {
    ScratchBudget::Options options;
    options.capacity = Capacity{128, 512, 8, 8};
    ScratchBudget budget({slow()}, options);
    REQUIRE(budget.take(t));
    for (std::uint16_t i = 0; i < 448; ++i) wait(budget, t, static_cast<std::uint16_t>(i / 8));
    for (std::uint16_t i = 448; i < 512; ++i) {
        Request request = request_of({{0, 1}}, far, Lane::critical, Intent::open,
                                     static_cast<std::uint16_t>(i / 8));
        REQUIRE(budget.ask(request, t).verdict == Verdict::reserved);
    }
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::manual, none, t + 60 * s, t + ms));
    std::size_t moved = 0;
    int steps = 0;
    while (budget.head().plan != Plan::fresh) {
        // Each step may be another process, later.
        const Step done =
            step(budget.state(), budget.rules(), budget.workspace(), t + (2 + steps) * ms);
        REQUIRE(done.moved <= moves_max);
        REQUIRE(valid(budget.state()));
        moved += done.moved;
        ++steps;
    }
    REQUIRE(moved == 512);
    REQUIRE(steps <= 9);
    std::uint64_t id = 0;
    Instant at = t + 60 * s;
    for (const Entry& entry : budget.state().entries()) {
        at += 1100 * ms;
        REQUIRE(entry.at == at);
        REQUIRE(entry.id > id);
        id = entry.id;
    }
    // An advance of all of them, step by step too.
    const std::uint64_t first = budget.state().entries().front().id;
    REQUIRE(cancel(budget.state(), first, 0, 1, t + s));
    steps = budget.steps(t + s);
    REQUIRE(steps >= 8);
    REQUIRE(steps <= 9);
    REQUIRE(budget.state().entries().front().at == t + 60 * s + 1100 * ms);
    REQUIRE(budget.state().entries().back().at == at - 1100 * ms);
}

TEST_CASE("waiters are woken when an instant comes nearer than one wait slice") {
    ScratchBudget budget({slow()});
    REQUIRE(budget.take(t));
    const std::uint64_t first = wait(budget, t);
    wait(budget, t);
    const std::uint64_t epoch = budget.head().epoch;
    REQUIRE(budget.cancel_at(first, t + 500 * ms));
    REQUIRE(budget.head().epoch > epoch);
    const std::uint64_t quiet = budget.head().epoch;
    REQUIRE(budget.take(t + 5 * s));
    REQUIRE(budget.head().epoch == quiet);
}

TEST_CASE("a settlement that makes the plan stale is worth publishing though nothing is granted") {
    // Or its discoverer would meet it for ever: the published plan looks fresh.
    ScratchBudget budget({slow()});
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::ban, none, t + s, t));
    const std::uint64_t probe = wait(budget, t);
    wait(budget, t, 2);
    const Instant late = budget.entry(probe)->hand_out_until + 1;
    Request request = request_of({{0, 1}}, far, Lane::normal, Intent::open, 3);
    const Answer answer =
        reserve(budget.state(), budget.rules(), budget.workspace(), request, late);
    REQUIRE(answer.verdict == Verdict::plan_stale);
    REQUIRE(answer.changed);
}

TEST_CASE("a retired budget gives nothing") {
    ScratchBudget budget({slow()});
    budget.head().flags |= flag_retired;
    REQUIRE(budget.ask({{0, 1}}, t).verdict == Verdict::retired);
}
