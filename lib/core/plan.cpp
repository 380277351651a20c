// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include "core/pause.hpp"

namespace ratecoord::core {
namespace {

/// Waiters sleep at most this long before they look again by themselves.
constexpr std::int64_t wait_slice_ns = second_ns;
constexpr std::size_t nowhere = ~std::size_t{0};

bool is_pending(const Entry& entry) noexcept {
    return (entry.flags & entry_pending) != 0;
}
bool is_confirmed(const Entry& entry) noexcept {
    return (entry.flags & entry_confirmed) != 0;
}
Intent intent_of(const Entry& entry) noexcept {
    return static_cast<Intent>((entry.flags >> entry_intent_shift) & 3u);
}

/// Index of the entry with the smallest id above `after` that `want` accepts.
template <class Want>
std::size_t next_in_line(const State& state, std::uint64_t after, Want&& want) noexcept {
    std::size_t best = nowhere;
    const auto entries = state.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].id <= after || !want(entries[i])) continue;
        if (best == nowhere || entries[i].id < entries[best].id) best = i;
    }
    return best;
}

/// The first read in line, else the first close, else the first: a probe should do no harm.
std::size_t choose_probe(const State& state) noexcept {
    for (const Intent intent : {Intent::read, Intent::close}) {
        const std::size_t i = next_in_line(state, 0, [&](const Entry& entry) {
            return is_pending(entry) && intent_of(entry) == intent;
        });
        if (i != nowhere) return i;
    }
    return next_in_line(state, 0, [](const Entry& entry) { return is_pending(entry); });
}

/// Enters a pending entry anew, or drops it (N2).
void enter_anew(State& state, const Rules& rules, Workspace& workspace, std::size_t index,
                Instant now) noexcept {
    Entry entry = state.entry_storage[index];
    erase_entry(state, index);
    if (state.has(flag_halted) && intent_of(entry) == Intent::open) return;
    const bool probes = state.has(flag_probe_required) && may_probe(state, entry.id);
    const Instant start = state.has(flag_shadow) ? now : earliest_start(state, entry, now);
    const Found found = workspace.search.earliest(state, rules, ask_of(entry), start, 0);
    if (found.at > entry.deadline) {
        if (entry.id == state.head->probe_id) state.head->probe_id = 0;
        return;
    }
    entry.flags = static_cast<std::uint8_t>(entry.flags & ~entry_pending);
    entry.at = found.at;
    entry.hand_out_until = found.hand_out_until;
    entry.valid_until = found.valid_until;
    for (std::size_t c = 0; c < entry.charges; ++c) {
        const bool critical = (found.critical_mask >> c & 1) != 0;
        entry.cell[c] = static_cast<std::uint16_t>((entry.cell[c] & cell_index_mask) |
                                                   (critical ? cell_critical_bit : 0));
    }
    insert_entry(state, entry);
    if (probes) {
        state.head->probe_id = entry.id;
        state.head->probe_until = add(entry.at, state.head->probe_timeout);
    }
}

Step replan_step(State& state, const Rules& rules, Workspace& workspace, Instant now) noexcept {
    Step result;
    for (; result.moved < moves_max; ++result.moved) {
        std::size_t index = nowhere;
        if (state.has(flag_probe_required) && !state.has(flag_probe_confirmed)) {
            const std::uint64_t probe = state.head->probe_id;
            index = probe == 0 ? choose_probe(state)
                               : next_in_line(state, probe - 1, [&](const Entry& entry) {
                                     return is_pending(entry) && entry.id == probe;
                                 });
        }
        if (index == nowhere) {
            index = next_in_line(state, 0, [](const Entry& entry) { return is_pending(entry); });
        }
        if (index == nowhere) {
            state.head->plan = Plan::fresh;
            return result;
        }
        enter_anew(state, rules, workspace, index, now);
    }
    result.more = true;
    return result;
}

/// Tries to move one entry to an earlier instant; true if it moved.
bool move_up(State& state, const Rules& rules, Workspace& workspace, std::size_t index,
             Instant now) noexcept {
    Entry entry = state.entry_storage[index];
    const Instant start = state.has(flag_shadow) ? now : earliest_start(state, entry, now);
    if (start >= entry.at) return false;
    const Found found =
        workspace.search.earliest(state, rules, ask_of(entry), start, entry.id, entry.at - 1);
    if (found.at >= entry.at) return false;
    erase_entry(state, index);
    entry.at = found.at;
    entry.hand_out_until = found.hand_out_until;
    entry.valid_until = found.valid_until;
    for (std::size_t c = 0; c < entry.charges; ++c) {
        const bool critical = (found.critical_mask >> c & 1) != 0;
        entry.cell[c] = static_cast<std::uint16_t>((entry.cell[c] & cell_index_mask) |
                                                   (critical ? cell_critical_bit : 0));
    }
    insert_entry(state, entry);
    return true;
}

Step advance_step(State& state, const Rules& rules, Workspace& workspace, Instant now) noexcept {
    Step result;
    for (std::size_t tried = 0; tried < moves_max; ++tried) {
        const std::size_t index = next_in_line(
            state, state.head->plan_cursor,
            [&](const Entry& entry) { return !is_confirmed(entry) && entry.at > now; });
        if (index == nowhere) {
            state.head->plan = Plan::fresh;
            return result;
        }
        const std::uint64_t id = state.entry_storage[index].id;
        state.head->plan_cursor = id;
        if (!move_up(state, rules, workspace, index, now)) continue;
        ++result.moved;
        const std::size_t moved =
            next_in_line(state, id - 1, [&](const Entry& entry) { return entry.id == id; });
        if (state.entry_storage[moved].at - now < wait_slice_ns) result.wake = true;
    }
    result.more = true;
    return result;
}

bool fits(const StateHead& head, const Rule& rule, const Cell& cell, std::size_t lane,
          std::uint32_t units, Instant at) noexcept {
    const LaneState& s = cell.lane[lane];
    const LaneRule& l = rule.lane[lane];
    if (at >= cell.expires_at) return true;
    if (at < cell.opens_at) return false;
    if (!rule.is_fixed()) {
        return std::max(s.full_at, at) + l.bucket.time(units) - at <= l.bucket.tolerance;
    }
    const Instant window = window_start(at + head.utc_offset, rule.window);
    const Instant start = window - head.utc_offset;
    if (window < s.window_utc || at < start + rule.slack ||
        at >= start + rule.window - rule.slack) {
        return false;
    }
    if (std::uint64_t{spent_in(rule, cell, lane, window)} + units > l.quota) return false;
    if (!is_paced(rule, cell, at)) return true;
    const std::int64_t time = l.bucket.time(units);
    return std::max(s.full_at, at) + time - at <= pace_tolerance(l, at < cell.paced_until, time);
}

}  // namespace

void begin_replan(State& state) noexcept {
    bool any = false;
    for (Entry& entry : state.entries()) {
        // What lapsed is spent at its own instant, though settle() has not come to it yet.
        if (is_confirmed(entry) ||
            (!is_pending(entry) && entry.hand_out_until < state.head->last_instant)) {
            continue;
        }
        entry.flags = static_cast<std::uint8_t>(entry.flags | entry_pending);
        any = true;
    }
    state.head->plan = any ? Plan::replan : Plan::fresh;
    state.head->plan_cursor = 0;
    ++state.head->epoch;
}

void begin_replan(State& state, const Rules& rules, Instant now) noexcept {
    settle(state, rules, now);
    begin_replan(state);
    // Those that stood before them are pending now and hold nobody up.
    settle(state, rules, now);
}

void begin_advance(State& state) noexcept {
    if (state.head->plan == Plan::replan) return;
    const auto entries = state.entries();
    const bool any = std::any_of(entries.begin(), entries.end(),
                                 [](const Entry& entry) { return !is_confirmed(entry); });
    state.head->plan = any ? Plan::advance : Plan::fresh;
    state.head->plan_cursor = 0;
}

Step step(State& state, const Rules& rules, Workspace& workspace, Instant now) noexcept {
    now = advance_clock(state, now);
    settle(state, rules, now);
    expire_probe(state, now);
    Step result;
    if (state.head->plan == Plan::replan) {
        result = replan_step(state, rules, workspace, now);
    } else if (state.head->plan == Plan::advance) {
        result = advance_step(state, rules, workspace, now);
    }
    if (result.wake) ++state.head->epoch;
    return result;
}

void check_plan(State& state, const Rules& rules, Workspace& workspace) noexcept {
    const auto cells = state.cells();
    std::copy(cells.begin(), cells.end(), workspace.trial.begin());
    State trial = state;
    trial.cell_storage = workspace.trial;
    for (const Entry& entry : state.entries()) {
        if (is_pending(entry)) continue;
        for (std::size_t c = 0; c < entry.charges; ++c) {
            const std::uint16_t index = entry.cell[c] & cell_index_mask;
            const std::size_t lane = (entry.cell[c] & cell_critical_bit) != 0 ? 1 : 0;
            const Cell& cell = trial.cell_storage[index];
            const Rule& rule = rules.of(cell);
            bool ok = is_confirmed(entry) ||
                      fits(*state.head, rule, cell, rule.effective(lane), entry.units[c], entry.at);
            if (ok && cell.previous != none && !is_confirmed(entry)) {
                const Cell& predecessor = trial.cell_storage[cell.previous];
                const Rule& old_rule = rules.of(predecessor);
                ok = fits(*state.head, old_rule, predecessor, old_rule.effective(lane),
                          entry.units[c], entry.at);
            }
            if (!ok) return begin_replan(state);
            charge(trial, rules, index, lane, entry.units[c], entry.at);
        }
    }
}

}  // namespace ratecoord::core
