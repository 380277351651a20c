// SPDX-License-Identifier: Apache-2.0
#include "core/calendar.hpp"

#include "core/direct.hpp"
#include "core/pause.hpp"
#include "core/plan.hpp"

namespace ratecoord::core {
namespace {

Intent intent_of(const Entry& entry) noexcept {
    return static_cast<Intent>((entry.flags >> entry_intent_shift) & 3u);
}

/// Room for one more of this client: a quarter belongs to one, the last eighth to the critical
/// lane.
bool has_room(const State& state, const Request& request) noexcept {
    const std::size_t capacity = state.entry_storage.size();
    const std::size_t used = state.head->entries_in_use;
    const std::size_t limit = request.lane == Lane::critical ? capacity : capacity - capacity / 8;
    if (used >= limit) return false;
    std::size_t own = 0;
    for (const Entry& entry : state.entries()) own += entry.slot == request.slot ? 1 : 0;
    return own < std::max<std::size_t>(1, capacity / 4);
}

Entry make_entry(const Request& request, const Found& found, std::uint64_t id,
                 bool confirmed) noexcept {
    Entry entry{};
    entry.id = id;
    entry.at = found.at;
    entry.hand_out_until = found.hand_out_until;
    entry.valid_until = found.valid_until;
    entry.deadline = saturate(request.deadline);
    entry.slot = request.slot;
    entry.slot_generation = request.slot_generation;
    entry.flags =
        static_cast<std::uint8_t>((confirmed ? unsigned{entry_confirmed} : 0u) |
                                  (request.lane == Lane::critical ? unsigned{entry_critical} : 0u) |
                                  (static_cast<unsigned>(request.intent) << entry_intent_shift));
    entry.charges = request.count;
    for (std::size_t i = 0; i < request.count; ++i) {
        entry.units[i] = request.draws[i].units;
        const bool critical = (found.critical_mask >> i & 1) != 0;
        entry.cell[i] =
            static_cast<std::uint16_t>(request.draws[i].cell | (critical ? cell_critical_bit : 0));
    }
    return entry;
}

Answer answer_of(Verdict verdict, const Entry& entry) noexcept {
    Answer answer;
    answer.verdict = verdict;
    answer.id = entry.id;
    answer.at = entry.at;
    answer.hand_out_until = entry.hand_out_until;
    answer.valid_until = entry.valid_until;
    for (std::size_t c = 0; c < entry.charges; ++c) {
        if ((entry.cell[c] & cell_critical_bit) != 0) {
            answer.critical_mask = static_cast<std::uint8_t>(answer.critical_mask | (1u << c));
        }
    }
    return answer;
}

Answer refusal(Verdict verdict) noexcept {
    Answer answer;
    answer.verdict = verdict;
    return answer;
}

Answer refusal_of(Binding binding, std::size_t which) noexcept {
    Answer answer;
    answer.which = static_cast<std::uint8_t>(which);
    answer.verdict = binding == Binding::too_large   ? Verdict::too_large
                     : binding == Binding::keys_full ? Verdict::keys_full
                                                     : Verdict::unknown_limit;
    return answer;
}

template <class EachCell>
Instant start_of(const State& state, std::uint64_t id, Instant now, EachCell&& each) noexcept {
    Instant start = std::max(now, paused_until(*state.head));
    each([&](std::uint16_t cell) {
        const std::uint16_t key = state.cell_storage[cell].key;
        if (key != none) start = std::max(start, state.key_storage[key].pause_until);
    });
    if (!state.has(flag_probe_required)) return start;
    const StateHead& head = *state.head;
    return std::max(start, may_probe(state, id) ? head.probe_not_before : head.probe_until);
}

/// Shadow: everyone goes at once; what the rule would have held up is counted, never owed.
Answer grant_in_shadow(State& state, const Rules& rules, const Request& request, Found found,
                       Instant now) noexcept {
    StateHead& head = *state.head;
    if (found.at > now) ++head.shadow_overruns;
    found.at = now;
    found.hand_out_until = found.valid_until = far;
    const Entry entry = make_entry(request, found, head.next_id++, true);
    charge_entry(state, rules, entry);
    for (std::size_t i = 0; i < request.count; ++i) {
        Cell& cell = state.cell_storage[request.draws[i].cell];
        const Rule& rule = rules.of(cell);
        for (std::size_t l = 0; l < lanes; ++l) {
            LaneState& s = cell.lane[l];
            s.full_at = std::min(s.full_at, add(now, rule.lane[l].bucket.tolerance));
            if (rule.is_fixed()) {
                s.used =
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(s.used, rule.lane[l].quota));
            }
        }
    }
    Answer answer = answer_of(Verdict::granted, entry);
    answer.changed = true;
    return answer;
}

Answer place(State& state, const Rules& rules, const Request& request, const Found& found,
             Instant now) noexcept {
    StateHead& head = *state.head;
    const bool at_once = found.at <= now;
    const bool probes = state.has(flag_probe_required) && may_probe(state, 0);
    if (!(at_once && found.first_in_line) && !has_room(state, request)) {
        return refusal(Verdict::calendar_full);
    }
    const Entry entry = make_entry(request, found, head.next_id++, at_once);
    if (at_once && found.first_in_line) {
        charge_entry(state, rules, entry);
    } else {
        insert_entry(state, entry);
    }
    if (probes) {
        become_probe(state, entry.id, entry.at);
        if (at_once) head.flags |= flag_probe_confirmed;
    }
    Answer answer = answer_of(at_once ? Verdict::granted : Verdict::reserved, entry);
    answer.changed = true;
    return answer;
}

/// reserve() where grant_direct() cannot tell at a glance.
Answer reserve_by_search(State& state, const Rules& rules, Workspace& workspace, Request& request,
                         Instant now) noexcept {
    if (state.has(flag_retired)) return refusal(Verdict::retired);
    // Published even where nothing is reserved: both may have made the plan stale.
    const bool settled = settle(state, rules, now);
    const bool expired = expire_probe(state, now);
    if (state.head->plan != Plan::fresh) {
        Answer stale = refusal(Verdict::plan_stale);
        stale.changed = settled || expired;
        return stale;
    }
    if (state.has(flag_halted) && request.intent == Intent::open) return refusal(Verdict::halted);
    std::size_t which = 0;
    const Binding binding = bind(state, rules, request, now, which);
    if (binding != Binding::bound) return refusal_of(binding, which);

    Ask ask;
    ask.count = request.count;
    ask.lane = request.lane;
    for (std::size_t i = 0; i < request.count; ++i) {
        ask.charges[i] = {request.draws[i].cell, request.draws[i].units};
    }
    const bool shadow = state.has(flag_shadow);
    const Instant start = shadow ? now : earliest_start(state, request, 0, now);
    const Found found = workspace.search.earliest(state, rules, ask, start, 0);
    if (shadow) return grant_in_shadow(state, rules, request, found, now);
    if (found.at > std::max(now, request.deadline)) {
        Answer answer = refusal(start > now ? Verdict::paused : Verdict::not_yet);
        answer.at = found.at;
        answer.until = start;
        return answer;
    }
    return place(state, rules, request, found, now);
}

}  // namespace

Ask ask_of(const Entry& entry) noexcept {
    Ask ask;
    ask.count = entry.charges;
    ask.lane = (entry.flags & entry_critical) != 0 ? Lane::critical : Lane::normal;
    for (std::size_t c = 0; c < entry.charges; ++c) {
        ask.charges[c] = {static_cast<std::uint16_t>(entry.cell[c] & cell_index_mask),
                          entry.units[c]};
    }
    return ask;
}

Instant earliest_start(const State& state, const Request& request, std::uint64_t id,
                       Instant now) noexcept {
    return start_of(state, id, now, [&](auto&& use) {
        for (std::size_t i = 0; i < request.count; ++i) use(request.draws[i].cell);
    });
}

Instant earliest_start(const State& state, const Entry& entry, Instant now) noexcept {
    return start_of(state, entry.id, now, [&](auto&& use) {
        for (std::size_t c = 0; c < entry.charges; ++c) {
            use(static_cast<std::uint16_t>(entry.cell[c] & cell_index_mask));
        }
    });
}

Answer reserve(State& state, const Rules& rules, Workspace& workspace, Request& request,
               Instant now) noexcept {
    now = advance_clock(state, now);
    Answer answer;
    if (!grant_direct(state, rules, request, now, answer)) {
        answer = reserve_by_search(state, rules, workspace, request, now);
    }
    return answer;
}

Answer look_up(const State& state, std::uint64_t id, std::uint16_t slot,
               std::uint32_t slot_generation, Instant now) noexcept {
    const std::size_t i = find_entry(state, id, slot, slot_generation);
    if (i == state.head->entries_in_use) return refusal(Verdict::gone);
    const Entry& entry = state.entry_storage[i];
    const bool lapsed =
        (entry.flags & (entry_confirmed | entry_pending)) == 0 && entry.hand_out_until < now;
    if (lapsed || (entry.flags & entry_confirmed) != 0) return refusal(Verdict::gone);
    const bool pending = (entry.flags & entry_pending) != 0;
    return answer_of(pending ? Verdict::plan_stale : Verdict::reserved, entry);
}

Answer confirm(State& state, const Rules& rules, std::uint64_t id, std::uint16_t slot,
               std::uint32_t slot_generation, Instant now) noexcept {
    now = advance_clock(state, now);
    bool changed = settle(state, rules, now);
    changed = expire_probe(state, now) || changed;
    const std::size_t i = find_entry(state, id, slot, slot_generation);
    const auto answer = [&](Answer value) {
        value.changed = value.changed || changed;
        return value;
    };
    if (i == state.head->entries_in_use) return answer(refusal(Verdict::gone));
    Entry& entry = state.entry_storage[i];
    if ((entry.flags & entry_confirmed) != 0) return answer(refusal(Verdict::gone));
    if ((entry.flags & entry_pending) != 0) return answer(refusal(Verdict::plan_stale));
    // Lapsed, and not charged yet only because an earlier one on the same cell still stands.
    if (entry.hand_out_until < now) return answer(refusal(Verdict::gone));
    if (state.has(flag_halted) && intent_of(entry) == Intent::open) {
        if (entry.id == state.head->probe_id) drop_probe(state);
        erase_entry(state, i);
        begin_advance(state);
        changed = true;
        return answer(refusal(Verdict::halted));
    }
    if (entry.at > now) {
        Answer moved = answer_of(Verdict::reserved, entry);
        moved.moved = true;
        return answer(moved);
    }
    if (earliest_start(state, entry, entry.at) > entry.at && !state.has(flag_shadow)) {
        begin_replan(state);
        changed = true;
        return answer(refusal(Verdict::plan_stale));
    }
    entry.flags |= entry_confirmed;
    if (entry.id == state.head->probe_id) state.head->flags |= flag_probe_confirmed;
    Answer granted = answer_of(Verdict::granted, entry);
    settle(state, rules, now);
    changed = true;
    return answer(granted);
}

}  // namespace ratecoord::core
