// SPDX-License-Identifier: Apache-2.0
//
// What a refusal says is true, and a refusal changes nothing; the wall clock gives nothing away.
#include "core/any_history.hpp"
#include "core/small_rule.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

struct Scene {
    ScratchBudget budget;
    Instant now;
};

Request request_from(const Op& op, std::size_t limits, Instant deadline) {
    Request request = request_of({}, deadline, op.b >= 192 ? Lane::critical : Lane::normal,
                                 Intent::read, static_cast<std::uint16_t>(op.c % 7));
    for (std::uint16_t i = 0; i < limits; ++i) {
        if (limits > 1 && (op.a >> i & 1) == 0) continue;
        request.draws[request.count++] = {i, none, 0, 1 + (op.b >> (2 * i)) % 3u, 0, 0};
    }
    return request;
}

/// A few small limits with a queue, perhaps a pause, perhaps a rule that just changed.
template <class Check>
void in_any_scene(Check&& check) {
    std::vector<LimitRecord> limits;
    const std::size_t count = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bytes = *any_bytes<3>();
        limits.push_back(small_rule(bytes[0], bytes[1], bytes[2]));
    }
    ScratchBudget budget(limits);
    Instant now = 1000;
    for (const Op& op : any_history(4, 12, 0.6)) {
        now += op.c % 8 == 0 ? op.a % 8 : 0;
        if (op.act == 0) {
            static_cast<void>(pause(budget.state(), budget.rules(), PauseKind::manual, none,
                                    now + op.a % 40, now));
            budget.freshen(now);
        } else if (op.act == 1 && op.a < 64) {
            static_cast<void>(budget.change(0, small_rule(op.a, op.b, op.c), now));
        } else if (op.act == 2 && !budget.state().entries().empty()) {
            const Entry& entry = budget.state().entries()[op.a % budget.head().entries_in_use];
            static_cast<void>(budget.confirm_at(entry.id, now, entry.slot));
        } else {
            Request request = request_from(op, limits.size(), now + 8 * op.c);
            static_cast<void>(budget.ask(request, now));
        }
    }
    const auto bytes = *any_bytes<4>();
    Request request = request_from({0, bytes[1], bytes[2], bytes[3]}, limits.size(), 0);
    if (request.count == 0) return;
    check(budget, request, now);
}

}  // namespace

TEST_CASE("G6: asking again exactly when told is granted, one nanosecond sooner is not") {
    REQUIRE(rc::check([] {
        in_any_scene([](ScratchBudget& budget, Request& request, Instant now) {
            const Answer answer = budget.ask(request, now);
            if (answer.verdict != Verdict::not_yet && answer.verdict != Verdict::paused) return;
            RC_ASSERT(answer.at > now);
            const auto before = budget.copy();
            RC_ASSERT(budget.ask(request, answer.at - 1).verdict != Verdict::granted);
            budget.restore(before);
            const auto again = budget.ask(request, answer.at);
            // The request of another client may hold the last place of the calendar.
            if (again.verdict == Verdict::calendar_full) return;
            RC_ASSERT(again.verdict == Verdict::granted);
            RC_ASSERT(again.at == answer.at);
        });
    }));
}

TEST_CASE("a refusal leaves the state as settling left it") {
    REQUIRE(rc::check([] {
        in_any_scene([](ScratchBudget& budget, Request& request, Instant now) {
            static_cast<void>(advance_clock(budget.state(), now));
            static_cast<void>(settle(budget.state(), budget.rules(), now));
            budget.freshen(now);
            const auto before = budget.bytes();
            const Answer answer =
                reserve(budget.state(), budget.rules(), budget.workspace(), request, now);
            if (answer.verdict == Verdict::granted || answer.verdict == Verdict::reserved) return;
            RC_ASSERT(!answer.changed);
            RC_ASSERT(budget.bytes() == before);
        });
    }));
}

TEST_CASE("G5: nobody starves: every reservation's instant only comes nearer while others come") {
    REQUIRE(rc::check([] {
        in_any_scene([](ScratchBudget& budget, Request& request, Instant now) {
            request.deadline = far;
            const Answer waits = budget.ask(request, now);
            if (waits.verdict != Verdict::reserved) return;
            Instant at = waits.at;
            for (const Op& op : any_history(0, 1, 0.3)) {
                Request other = request_from(op, budget.records().size(), now + 8 * op.c);
                if (other.count > 0) static_cast<void>(budget.ask(other, now));
                const Entry* entry = budget.entry(waits.id);
                RC_ASSERT(entry != nullptr);
                RC_ASSERT(entry->at <= at);
                at = entry->at;
            }
            RC_ASSERT(budget.confirm_at(waits.id, at, request.slot).verdict == Verdict::granted);
        });
    }));
}

TEST_CASE("G1: however the wall clock steps, the running window keeps what was drawn in it") {
    REQUIRE(rc::check([] {
        const std::uint64_t quota = *rc::gen::inRange<std::uint64_t>(1, 50);
        ScratchBudget budget({record_of(limit(LimitKind::fixed, quota, 10 * s, 0, 200 * ms))});
        const std::array<std::int64_t, 8> sizes = {6 * ms, 99 * ms, 101 * ms, s,
                                                   10 * s, 37 * s,  3600 * s, 86400 * s};
        Instant now = 1000 * s;
        std::int64_t offset = 0;
        const auto used = [&] {
            const Cell& cell = budget.state().cells()[0];
            return used_in_window(budget.head(), budget.rules().of(cell), cell, 0, now);
        };
        for (const Op& op : any_history(2, 3, 2)) {
            now += op.c * 10 * ms;
            const std::uint64_t before = used();
            if (op.act == 255) {
                const std::uint32_t units = 1 + op.a % 8u;
                const bool granted = budget.take(now, units);
                RC_ASSERT(used() == before + (granted ? units : 0));
                RC_ASSERT(used() <= quota);
                continue;
            }
            const std::int64_t size = sizes[op.a % sizes.size()];
            offset += op.b % 2 == 0 ? size : -size;
            const bool small = size <= 100 * ms;
            static_cast<void>(renew_offset(budget.state(), budget.rules(), offset, now));
            budget.freshen(now);
            if (!small) RC_ASSERT(used() >= std::min(before, quota));
            RC_ASSERT(used() <= quota);
        }
    }));
}
