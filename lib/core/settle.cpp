// SPDX-License-Identifier: Apache-2.0
//
// How entries stand in the calendar and leave it: charged, cancelled, lapsed, given back.
#include "core/calendar.hpp"
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

bool drop_predecessors(State& state, Instant now) noexcept {
    bool dropped = false;
    for (Cell& cell : state.cells()) {
        // What a free cell holds was checked by nobody.
        if (cell.in_use != 1 || cell.previous == none) continue;
        if (state.cell_storage[cell.previous].expires_at > now) continue;
        state.cell_storage[cell.previous].in_use = 0;
        cell.previous = none;
        dropped = true;
    }
    return dropped;
}

}  // namespace

std::size_t find_entry(const State& state, std::uint64_t id, std::uint16_t slot,
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

void charge_entry(State& state, const Rules& rules, const Entry& entry) noexcept {
    for (std::size_t c = 0; c < entry.charges; ++c) {
        charge(state, rules, entry.cell[c] & cell_index_mask,
               (entry.cell[c] & cell_critical_bit) != 0 ? 1 : 0, entry.units[c], entry.at);
    }
}

Instant advance_clock(State& state, Instant now) noexcept {
    state.head->last_instant = std::max(state.head->last_instant, std::min(now, now_max));
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

bool cancel(State& state, std::uint64_t id, std::uint16_t slot, std::uint32_t slot_generation,
            Instant now) noexcept {
    now = advance_clock(state, now);
    const std::size_t i = find_entry(state, id, slot, slot_generation);
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
    const std::size_t i = find_entry(state, id, request.slot, request.slot_generation);
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
            const std::uint32_t units = std::min(draw.units, state.entry_storage[i].units[c]);
            returned += units;
            state.entry_storage[i].units[c] -= units;
        } else if (draw.units > 0 &&
                   refund(state, rules, draw.cell, (critical_mask >> c & 1), draw.units, at, now)) {
            returned += draw.units;
        }
    }
    if (returned > 0) begin_advance(state);
    return returned;
}

}  // namespace ratecoord::core
