// SPDX-License-Identifier: Apache-2.0
//
// The calendar against one that tries every instant: the same instants, lanes and limits of handing
// out, after every step of random histories.
#include "core/any_history.hpp"
#include "core/reference_calendar.hpp"
#include "core/small_rule.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

enum class Act : std::uint8_t { wait, confirm, cancel, late, pause, resume, change, last };

/// Runs a history through both calendars.
class Pair {
  public:
    Pair(const std::vector<LimitRecord>& limits, std::int64_t offset)
        : budget_(limits, options(offset)), reference_(limits, offset), offset_(offset) {}

    void run(const Op& op) {
        now_ += op.c % 4 == 3 ? 1 : 0;
        switch (static_cast<Act>(op.act)) {
            case Act::wait:
                now_ += op.a % 16;
                break;
            case Act::confirm:
                return confirm(op.a);
            case Act::late:
                return confirm_late(op.a);
            case Act::cancel:
                return cancel(op.a);
            case Act::pause:
                return pause(op.a);
            case Act::resume:
                return resume();
            case Act::change:
                return change(op);
            case Act::last:
                break;
            default:
                return ask(op);
        }
    }

    void check() {
        settle(budget_.state(), budget_.rules(), now_);
        reference_.lapse(now_);
        std::size_t standing = 0;
        for (const Entry& entry : budget_.state().entries()) {
            if ((entry.flags & entry_confirmed) != 0 || entry.hand_out_until < now_) continue;
            ++standing;
            RC_ASSERT((entry.flags & entry_pending) == 0);
            const auto& live = reference_.live();
            const auto same = std::find_if(live.begin(), live.end(),
                                           [&](const auto& e) { return e.id == entry.id; });
            RC_ASSERT(same != live.end());
            compare(entry, *same);
        }
        RC_ASSERT(standing == reference_.live().size());
        RC_ASSERT(valid(budget_.state()));
    }

    void check_windows() {
        for (std::uint16_t cell = 0; cell < budget_.records().size(); ++cell) {
            if (changed_) return;
            std::vector<Drawn> drawn;
            const auto add = [&](const ReferenceEntry& entry) {
                for (const auto& c : entry.charges) {
                    if (c.cell == cell) drawn.push_back({entry.at, entry.valid_until, c.units});
                }
            };
            for (const auto& entry : reference_.spent()) add(entry);
            for (const auto& entry : reference_.live()) add(entry);
            const auto why = broken(budget_.records()[cell], drawn, offset_);
            if (why) RC_FAIL(*why);
        }
    }

  private:
    static ScratchBudget::Options options(std::int64_t offset) {
        ScratchBudget::Options result;
        result.now = 0;
        result.utc_offset = offset;
        return result;
    }

    static void compare(const Entry& entry, const ReferenceEntry& expected) {
        RC_ASSERT(entry.at == expected.at);
        RC_ASSERT(entry.hand_out_until == expected.hand_out_until);
        RC_ASSERT(entry.valid_until == expected.valid_until);
        for (std::size_t c = 0; c < entry.charges; ++c) {
            RC_ASSERT(((entry.cell[c] & cell_critical_bit) != 0) == expected.charges[c].critical);
        }
    }

    void ask(const Op& op) {
        Request request;
        const std::size_t limits = budget_.records().size();
        ReferenceEntry expected;
        for (std::uint16_t i = 0; i < limits; ++i) {
            if (limits > 1 && (op.a >> i & 1) == 0) continue;
            Draw& draw = request.draws[request.count++];
            draw.limit = i;
            draw.units = 1 + (op.b >> (2 * i)) % 3u;
            expected.charges.push_back({i, draw.units, false});
        }
        if (request.count == 0) return;
        request.lane = op.b >= 192 ? Lane::critical : Lane::normal;
        request.deadline = op.a < 20 ? 0 : now_ + 4 * op.a;
        request.slot = op.a % 5;
        request.slot_generation = 1;
        expected.is_critical = request.lane == Lane::critical;
        expected.deadline = request.deadline;
        expected.id = budget_.head().next_id;
        reference_.lapse(now_);
        reference_.place(expected, reference_.earliest_start(now_));

        const Answer answer = budget_.ask(request, now_);
        if (answer.verdict == Verdict::too_large) return;
        if (answer.verdict == Verdict::calendar_full) return;
        const bool found = expected.at < reference_.earliest_start(now_) + reference_.horizon;
        if (!found) {
            RC_ASSERT(answer.verdict == Verdict::not_yet || answer.verdict == Verdict::paused);
            RC_ASSERT(answer.at >= expected.at);
            return;
        }
        RC_ASSERT(answer.at == expected.at);
        if (answer.verdict == Verdict::granted) {
            RC_ASSERT(answer.at == now_);
            RC_ASSERT(answer.hand_out_until == expected.hand_out_until);
            reference_.spend_at_once(expected);
        } else if (answer.verdict == Verdict::reserved) {
            RC_ASSERT(answer.at <= request.deadline);
            reference_.enter(expected);
        } else {
            RC_ASSERT(answer.at > std::max(now_, request.deadline));
        }
    }

    const ReferenceEntry* pick(std::uint8_t which, bool due) {
        reference_.lapse(now_);
        std::vector<const ReferenceEntry*> choice;
        for (const auto& entry : reference_.live()) {
            if ((entry.at <= now_) == due) choice.push_back(&entry);
        }
        return choice.empty() ? nullptr : choice[which % choice.size()];
    }

    std::uint16_t slot_of(std::uint64_t id) const {
        const Entry* entry = budget_.entry(id);
        return entry == nullptr ? 0 : entry->slot;
    }

    void confirm(std::uint8_t which) {
        const ReferenceEntry* entry = pick(which, true);
        if (entry == nullptr) return;
        const std::uint64_t id = entry->id;
        const std::int64_t at = entry->at;
        const Answer answer = budget_.confirm_at(id, now_, slot_of(id));
        RC_ASSERT(answer.verdict == Verdict::granted);
        RC_ASSERT(answer.at == at);
        reference_.spend(id);
    }

    void confirm_late(std::uint8_t which) {
        const ReferenceEntry* entry = pick(which, true);
        if (entry == nullptr) return;
        const std::uint64_t id = entry->id;
        const std::uint16_t slot = slot_of(id);
        now_ = entry->hand_out_until + 1;
        RC_ASSERT(budget_.confirm_at(id, now_, slot).verdict == Verdict::gone);
    }

    void cancel(std::uint8_t which) {
        const ReferenceEntry* entry = pick(which, false);
        if (entry == nullptr) return;
        const std::uint64_t id = entry->id;
        RC_ASSERT(budget_.cancel_at(id, now_, slot_of(id)));
        reference_.remove(id);
        reference_.advance(now_);
    }

    void pause(std::uint8_t length) {
        const Instant until = now_ + length % 60;
        reference_.lapse(now_);
        const bool grew =
            core::pause(budget_.state(), budget_.rules(), PauseKind::manual, none, until, now_);
        RC_ASSERT(grew == (until > now_ && until > reference_.earliest_start(now_)));
        budget_.freshen(now_);
        reference_.pause(until, now_);
    }

    void resume() {
        reference_.lapse(now_);
        core::resume(budget_.state(), budget_.rules(), ResumeScope{}, now_);
        budget_.freshen(now_);
        reference_.resume(now_);
    }

    void change(const Op& op) {
        const auto limit = static_cast<std::uint16_t>(op.a % budget_.records().size());
        const LimitRecord record = small_rule(op.b, op.c, op.a);
        Instant until = 0;
        const Change kind =
            classify(budget_.state(), budget_.rules(), limit, compile(record), now_, until);
        // What a stricter rule inherits is tried elsewhere.
        if (kind != Change::beside) return;
        reference_.lapse(now_);
        RC_ASSERT(budget_.change(limit, record, now_) == Change::beside);
        changed_ = true;
        reference_.change_beside(limit, record, now_);
    }

    ScratchBudget budget_;
    ReferenceCalendar reference_;
    std::int64_t offset_;
    Instant now_ = 1000;
    bool changed_ = false;
};

void mirror(std::size_t limits_max, int acts) {
    std::vector<LimitRecord> limits;
    const std::size_t count = *rc::gen::inRange<std::size_t>(1, limits_max + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bytes = *any_bytes<3>();
        limits.push_back(small_rule(bytes[0], bytes[1], bytes[2]));
    }
    Pair pair(limits, *rc::gen::inRange<std::int64_t>(0, 40));
    for (const Op& op : any_history(acts, 2 * acts, 1.5)) {
        pair.run(op);
        pair.check();
    }
    pair.check_windows();
}

}  // namespace

TEST_CASE("G5: with one limit every request gets the earliest instant that delays nobody") {
    REQUIRE(rc::check([] { mirror(1, 4); }));
}

TEST_CASE("G5: with three limits every request gets the earliest instant that delays nobody") {
    REQUIRE(rc::check([] { mirror(3, 4); }));
}

TEST_CASE("G5: pauses, resumes and late confirmations keep the order of arrival") {
    REQUIRE(rc::check([] { mirror(3, 6); }));
}

TEST_CASE("G5: a changed limit and its predecessor both hold until the predecessor ends") {
    REQUIRE(rc::check([] { mirror(2, 7); }));
}

TEST_CASE("G5: windows whose open parts are narrow and seldom meet are waited for") {
    // Open for 2 of 20 and 2 of 26 nanoseconds, and a third of 34.
    std::vector<LimitRecord> limits = {tiny_record(LimitKind::fixed, 1, 20, 1, 9),
                                       tiny_record(LimitKind::fixed, 2, 26, 1, 12)};
    for (const bool three : {false, true}) {
        if (three) limits.push_back(tiny_record(LimitKind::fixed, 2, 34, 1, 15));
        ScratchBudget budget(limits);
        ReferenceCalendar reference(limits, 0);
        for (int i = 0; i < 3; ++i) {
            ReferenceEntry expected;
            expected.id = budget.head().next_id;
            Request request = request_of({}, far);
            for (std::uint16_t l = 0; l < limits.size(); ++l) {
                request.draws[request.count++] = {l, none, 0, 1, 0, 0};
                expected.charges.push_back({l, 1, false});
            }
            reference.place(expected, 1000);
            if (expected.at >= 1000 + ReferenceCalendar::horizon) break;
            reference.enter(expected);
            REQUIRE(budget.ask(request, 1000).at == expected.at);
        }
    }
}
