// SPDX-License-Identifier: Apache-2.0
#include "core/calendar.hpp"

#include "core/direct.hpp"
#include "core/pause.hpp"
#include "core/plan.hpp"

namespace ratecoord::core {
namespace {

/// Cells that an entry still standing draws from: what comes later on them must wait (K5).
class CellSet {
  public:
    bool touches(const Entry& entry) const noexcept {
        for (std::size_t c = 0; c < entry.charges; ++c) {
            const std::size_t cell = entry.cell[c] & cell_index_mask;
            if ((words_[cell / 64] >> (cell % 64) & 1) != 0) return true;
        }
        return false;
    }
    void add(const Entry& entry) noexcept {
        for (std::size_t c = 0; c < entry.charges; ++c) {
            const std::size_t cell = entry.cell[c] & cell_index_mask;
            words_[cell / 64] |= std::uint64_t{1} << (cell % 64);
        }
    }

  private:
    std::array<std::uint64_t, cells_max / 64> words_{};
};

void charge_entry(State& state, const Rules& rules, const Entry& entry) noexcept {
    for (std::size_t c = 0; c < entry.charges; ++c) {
        charge(state, rules, entry.cell[c] & cell_index_mask,
               (entry.cell[c] & cell_critical_bit) != 0 ? 1 : 0, entry.units[c], entry.at);
    }
}

bool drop_predecessors(State& state, Instant now) noexcept {
    bool dropped = false;
    for (Cell& cell : state.cells()) {
        if (cell.previous == none || state.cell_storage[cell.previous].expires_at > now) continue;
        state.cell_storage[cell.previous].in_use = 0;
        cell.previous = none;
        dropped = true;
    }
    return dropped;
}

Intent intent_of(const Entry& entry) noexcept {
    return static_cast<Intent>((entry.flags >> entry_intent_shift) & 3u);
}

std::size_t find(const State& state, std::uint64_t id, std::uint16_t slot,
                 std::uint32_t slot_generation) noexcept {
    const auto entries = state.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].id == id && entries[i].slot == slot &&
            entries[i].slot_generation == slot_generation) {
            return i;
        }
    }
    return entries.size();
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

}  // namespace

Instant advance_clock(State& state, Instant now) noexcept {
    state.head->last_instant = std::max(state.head->last_instant, std::min(now, far / 4));
    return state.head->last_instant;
}

void insert_entry(State& state, const Entry& entry) noexcept {
    std::size_t i = state.head->entries_in_use++;
    const auto before = [](const Entry& a, const Entry& b) {
        return a.at != b.at ? a.at < b.at : a.id < b.id;
    };
    for (; i > 0 && before(entry, state.entry_storage[i - 1]); --i) {
        state.entry_storage[i] = state.entry_storage[i - 1];
    }
    state.entry_storage[i] = entry;
}

void erase_entry(State& state, std::size_t index) noexcept {
    const auto entries = state.entries();
    std::copy(entries.begin() + static_cast<std::ptrdiff_t>(index) + 1, entries.end(),
              entries.begin() + static_cast<std::ptrdiff_t>(index));
    --state.head->entries_in_use;
}

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

bool settle(State& state, const Rules& rules, Instant now) noexcept {
    bool changed = drop_predecessors(state, now);
    const auto entries = state.entries();
    if (entries.empty() || entries.front().at > now) return changed;
    CellSet standing;
    bool probe_lost = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const bool pending = (entry.flags & entry_pending) != 0;
        const bool confirmed = (entry.flags & entry_confirmed) != 0;
        const bool due = !pending && entry.at <= now && (confirmed || entry.hand_out_until < now);
        if (due && !standing.touches(entry)) {
            charge_entry(state, rules, entry);
            probe_lost = probe_lost || (!confirmed && entry.id == state.head->probe_id);
            changed = true;
            continue;
        }
        if (!pending && entry.at <= now) standing.add(entry);
        if (kept != i) entries[kept] = entry;
        ++kept;
    }
    state.head->entries_in_use = static_cast<std::uint16_t>(kept);
    if (probe_lost) drop_probe(state);
    return changed;
}

Answer reserve(State& state, const Rules& rules, Workspace& workspace, Request& request,
               Instant now) noexcept {
    now = advance_clock(state, now);
    Answer direct;
    if (grant_direct(state, rules, request, now, direct)) return direct;
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

Answer look_up(const State& state, std::uint64_t id, std::uint16_t slot,
               std::uint32_t slot_generation, Instant now) noexcept {
    const std::size_t i = find(state, id, slot, slot_generation);
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
    const std::size_t i = find(state, id, slot, slot_generation);
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

bool cancel(State& state, std::uint64_t id, std::uint16_t slot, std::uint32_t slot_generation,
            Instant now) noexcept {
    now = advance_clock(state, now);
    const std::size_t i = find(state, id, slot, slot_generation);
    if (i == state.head->entries_in_use) return false;
    const Entry& entry = state.entry_storage[i];
    const bool pending = (entry.flags & entry_pending) != 0;
    if ((entry.flags & entry_confirmed) != 0 || (entry.at <= now && !pending)) return false;
    if (entry.id == state.head->probe_id) drop_probe(state);
    erase_entry(state, i);
    begin_advance(state);
    return true;
}

std::size_t lapse_slot(State& state, std::uint16_t slot, std::uint32_t slot_generation) noexcept {
    const auto entries = state.entries();
    bool probe_lost = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        // What was confirmed may have been sent: it stays spent.
        if (entry.slot == slot && entry.slot_generation == slot_generation &&
            (entry.flags & entry_confirmed) == 0) {
            probe_lost = probe_lost || entry.id == state.head->probe_id;
            continue;
        }
        if (kept != i) entries[kept] = entry;
        ++kept;
    }
    const std::size_t lapsed = entries.size() - kept;
    state.head->entries_in_use = static_cast<std::uint16_t>(kept);
    if (probe_lost) drop_probe(state);
    if (lapsed > 0) begin_advance(state);
    return lapsed;
}

std::uint64_t give_back(State& state, const Rules& rules, std::uint64_t id, const Request& request,
                        std::uint8_t critical_mask, Instant at, Instant now) noexcept {
    now = advance_clock(state, now);
    settle(state, rules, now);
    std::uint64_t returned = 0;
    const std::size_t i = find(state, id, request.slot, request.slot_generation);
    for (std::size_t c = 0; c < request.count; ++c) {
        const Draw& draw = request.draws[c];
        if (draw.cell >= state.head->cells_in_use) continue;
        const Cell& cell = state.cell_storage[draw.cell];
        if (cell.in_use != 1 || cell.generation != draw.generation) continue;
        const Rule& rule = rules.of(cell);
        if (i < state.head->entries_in_use) {
            // A reservation that was never confirmed is cancelled, not given back.
            if ((state.entry_storage[i].flags & entry_confirmed) == 0) continue;
            const Instant window = window_start(at + state.head->utc_offset, rule.window);
            const Instant current = window_start(now + state.head->utc_offset, rule.window);
            if (!rule.is_fixed() || window != current) continue;
            returned += state.entry_storage[i].units[c];
            state.entry_storage[i].units[c] = 0;
        } else if (refund(state, rules, draw.cell, (critical_mask >> c & 1), draw.units, at, now)) {
            returned += draw.units;
        }
    }
    if (returned > 0) begin_advance(state);
    return returned;
}

}  // namespace ratecoord::core
