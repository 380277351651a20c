// SPDX-License-Identifier: Apache-2.0
#include "core/forged_state.hpp"

#include <algorithm>

namespace core_test {

Instant any_instant(Random& random) {
    switch (below(random, 6)) {
        case 0:
            return 0;
        case 1:
            return far;
        case 2:
            return -far;
        case 3:
            return static_cast<Instant>(below(random, 2000)) * s;
        case 4:
            return static_cast<Instant>(below(random, std::uint64_t{1} << 61));
        default:
            return static_cast<Instant>(below(random, 2000));
    }
}

std::uint32_t any_units(Random& random) {
    switch (below(random, 4)) {
        case 0:
            return 0;
        case 1:
            return 0xffff'ffff;
        case 2:
            return static_cast<std::uint32_t>(random());
        default:
            return static_cast<std::uint32_t>(below(random, 100));
    }
}

LimitRecord any_record(Random& random) {
    const auto kind = static_cast<LimitKind>(1 + below(random, 4));
    constexpr std::array<std::int64_t, 5> windows = {20 * ms, s, 60 * s, 86400 * s, year_ns};
    constexpr std::array<std::uint64_t, 4> quotas = {1, 7, 6000, std::uint64_t{1} << 31};
    for (;;) {
        LimitDefinition d = limit(kind, quotas[below(random, 4)], windows[below(random, 5)], 0,
                                  below(random, 2) == 0 ? 5 * ms : 250 * ms);
        if (kind == LimitKind::spacing) d.quota = 1;
        d.burst = below(random, 2) == 0 ? 0 : 1 + below(random, d.quota);
        d.reserve_percent = below(random, 3) == 0 ? 10 : 0;
        d.spread = kind == LimitKind::fixed && below(random, 2) == 0;
        d.per = below(random, 3) == 0 ? "account" : "";
        const auto made = to_record(d);
        if (const auto* record = std::get_if<LimitRecord>(&made)) return *record;
    }
}

namespace {

std::uint64_t below(Random& random, std::uint64_t n) {
    return random() % n;
}

template <class Record>
void scribble(Random& random, Record& record) {
    auto* bytes = reinterpret_cast<unsigned char*>(&record);
    for (std::size_t i = 0; i < sizeof(Record); ++i) {
        bytes[i] = static_cast<unsigned char>(random());
    }
}

void forge_head(Random& random, State& state, std::size_t limits) {
    StateHead& head = *state.head;
    for (Instant* t : {&head.last_instant, &head.created_at, &head.cold_until, &head.utc_offset,
                       &head.offset_stepped, &head.pause_until[0], &head.pause_until[1],
                       &head.pause_until[2], &head.saved_until, &head.probe_until,
                       &head.probe_not_before, &head.probe_timeout, &head.probe_ban}) {
        if (below(random, 3) == 0) *t = any_instant(random);
    }
    if (below(random, 8) == 0) head.utc_offset = utc_offset_max;
    head.next_id = below(random, 4) == 0 ? UINT64_MAX - 1 : 1000 + below(random, 1000);
    head.probe_id = below(random, 3) == 0 ? below(random, head.next_id) : 0;
    head.plan_cursor = random();
    head.plan = static_cast<Plan>(below(random, 3));
    head.flags = static_cast<std::uint32_t>(random() & 63);
    if (below(random, 2) == 0) head.flags &= ~std::uint32_t{flag_retired | flag_shadow};
    head.limits_in_use = static_cast<std::uint16_t>(limits);
    head.cells_in_use =
        static_cast<std::uint16_t>(limits + below(random, state.cell_storage.size() - limits + 1));
    head.keys_in_use = static_cast<std::uint16_t>(below(random, state.key_storage.size() + 1));
    head.entries_in_use = static_cast<std::uint16_t>(below(random, state.entry_storage.size() + 1));
}

void forge_cells(Random& random, State& state, std::size_t limits) {
    for (std::uint16_t i = 0; i < state.head->cells_in_use; ++i) {
        Cell& cell = state.cell_storage[i];
        scribble(random, cell);
        cell.limit = i < limits ? i : static_cast<std::uint16_t>(below(random, limits));
        cell.key = i < limits || state.head->keys_in_use == 0
                       ? none
                       : static_cast<std::uint16_t>(below(random, state.head->keys_in_use));
        cell.in_use = i < limits ? 1 : static_cast<std::uint16_t>(below(random, 3));
        cell.previous = none;
        cell.outside = any_units(random);
        for (Instant* t : {&cell.opens_at, &cell.paced_until, &cell.outside_utc}) {
            *t = any_instant(random);
        }
        cell.expires_at = cell.in_use == 1 ? far : any_instant(random);
        for (LaneState& lane : cell.lane) {
            const Instant window = any_instant(random) * (below(random, 4) == 0 ? 2 : 1);
            const bool near = state.head->utc_offset > far || below(random, 2) == 0;
            lane = {any_instant(random), window, any_units(random), any_units(random)};
            if (near) lane.window_utc += state.head->utc_offset;
            if (!near) lane.window_utc = any_instant(random);
        }
    }
    for (Cell& cell : state.cells()) {
        const auto other = static_cast<std::uint16_t>(below(random, state.head->cells_in_use));
        const Cell& predecessor = state.cell_storage[other];
        if (cell.in_use == 1 && predecessor.in_use == 2 && predecessor.limit == cell.limit) {
            cell.previous = other;
        }
    }
    for (Key& key : state.keys()) {
        scribble(random, key);
        key.hash_low = below(random, 4);
        key.hash_high = 0;
        key.pause_until = any_instant(random);
        key.in_use = static_cast<std::uint32_t>(below(random, 2));
    }
}

void forge_entries(Random& random, State& state) {
    for (Entry& entry : state.entries()) {
        scribble(random, entry);
        entry.id = 1 + below(random, state.head->next_id - 1);
        entry.at = any_instant(random);
        entry.hand_out_until = any_instant(random);
        entry.valid_until = any_instant(random);
        entry.deadline = any_instant(random);
        entry.slot = static_cast<std::uint16_t>(below(random, 4));
        entry.slot_generation = 1;
        entry.charges = static_cast<std::uint8_t>(1 + below(random, max_charges));
        if ((entry.flags & entry_confirmed) != 0) {
            entry.flags = static_cast<std::uint8_t>(entry.flags & ~entry_pending);
        }
        for (std::size_t c = 0; c < entry.charges; ++c) {
            entry.units[c] = any_units(random);
            std::uint16_t cell = 0;
            do {
                cell = static_cast<std::uint16_t>(below(random, state.head->cells_in_use));
            } while (state.cell_storage[cell].in_use != 1);
            entry.cell[c] = static_cast<std::uint16_t>(cell | (random() & cell_critical_bit));
        }
    }
    const auto entries = state.entries();
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.at != b.at ? a.at < b.at : a.id < b.id;
    });
}

}  // namespace

void forge(Random& random, State& state, std::size_t limits) {
    forge_head(random, state, limits);
    forge_cells(random, state, limits);
    forge_entries(random, state);
}

}  // namespace core_test
