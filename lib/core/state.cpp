// SPDX-License-Identifier: Apache-2.0
#include "core/state.hpp"

namespace ratecoord::core {
namespace {

bool is_instant(Instant t) noexcept {
    constexpr auto half = static_cast<std::uint64_t>(far);
    return static_cast<std::uint64_t>(t) + half <= 2 * half;
}

bool is_near(Instant utc, std::int64_t offset) noexcept {
    constexpr auto most = 2 * static_cast<std::uint64_t>(far);
    return static_cast<std::uint64_t>(utc) - static_cast<std::uint64_t>(offset) + most <= 2 * most;
}

bool valid(const StateHead& head, const State& state) noexcept {
    bool ok = head.limits_in_use <= head.cells_in_use && head.next_id > 0 &&
              head.definitions_copy <= 1 && head.plan <= Plan::replan;
    for (const Instant t : {head.last_instant, head.created_at, head.cold_until,
                            head.offset_stepped, head.probe_until, head.probe_not_before,
                            head.probe_timeout, head.probe_ban, head.saved_until}) {
        ok = ok && is_instant(t);
    }
    ok = ok && head.utc_offset == sound_offset(head.utc_offset);
    for (const Instant t : head.pause_until) ok = ok && is_instant(t);
    return ok && head.cells_in_use <= state.cell_storage.size();
}

bool valid(const Cell& cell, const State& state) noexcept {
    const StateHead& head = *state.head;
    if (cell.in_use == 0) return true;
    bool ok = cell.in_use <= 2 && cell.limit < head.limits_in_use &&
              (cell.key == none || cell.key < head.keys_in_use) &&
              (cell.in_use == 2 || cell.expires_at == far);
    if (cell.previous != none) {
        ok = ok && cell.in_use == 1 && cell.previous < head.cells_in_use &&
             state.cell_storage[cell.previous].in_use == 2 &&
             state.cell_storage[cell.previous].limit == cell.limit;
    }
    for (const Instant t : {cell.opens_at, cell.expires_at, cell.paced_until}) {
        ok = ok && is_instant(t);
    }
    for (const LaneState& s : cell.lane)
        ok = ok && is_instant(s.full_at) && is_near(s.window_utc, head.utc_offset);
    return ok && is_near(cell.outside_utc, 0);
}

/// Without a branch for each field: a full calendar is checked at every read.
bool valid(const Entry& entry, const State& state) noexcept {
    constexpr unsigned exclusive = entry_confirmed | entry_pending;
    bool ok = (entry.charges >= 1) & (entry.charges <= max_charges) & (entry.id > 0) &
              (entry.id < state.head->next_id) & ((entry.flags & exclusive) != exclusive);
    ok = ok & is_instant(entry.at) & is_instant(entry.hand_out_until) &
         is_instant(entry.valid_until) & is_instant(entry.deadline);
    if (!ok) return false;
    const std::size_t cells = state.head->cells_in_use;
    const Cell* const first = state.cell_storage.data();
    for (std::size_t c = 0; c < entry.charges; ++c) {
        const std::size_t cell = entry.cell[c] & cell_index_mask;
        if (cell >= cells || first[cell].in_use != 1) return false;
    }
    return true;
}

}  // namespace

bool valid(const State& state) noexcept {
    if (!valid(*state.head, state)) return false;
    for (const Cell& cell : state.cells()) {
        if (!valid(cell, state)) return false;
    }
    for (std::size_t i = 0; i < state.head->limits_in_use; ++i) {
        if (state.cell_storage[i].in_use != 1 || state.cell_storage[i].limit != i) return false;
    }
    for (const Key& key : state.keys()) {
        if (!is_instant(key.pause_until)) return false;
    }
    const Entry* before = nullptr;
    for (const Entry& entry : state.entries()) {
        if (!valid(entry, state)) return false;
        if (before != nullptr &&
            (entry.at < before->at || (entry.at == before->at && entry.id <= before->id))) {
            return false;
        }
        before = &entry;
    }
    return true;
}

}  // namespace ratecoord::core
