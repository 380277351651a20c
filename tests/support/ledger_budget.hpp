// SPDX-License-Identifier: Apache-2.0
//
// A budget whose state is a ledger: what a test must be able to prove about commits.
//
// PROMISE  Every draw adds one to its worker's line and one to the total. So in every published
//          state the lines sum up to the total and the version is the total + 1: a torn state, a
//          lost commit and a doubled one all show.
// SHARING  Free functions.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "segment/segment.hpp"

namespace ratecoord::testing {

inline constexpr std::uint16_t ledger_lines = 16;

inline std::vector<core::LimitRecord> ledger_definitions(std::uint16_t lines = ledger_lines) {
    std::vector<core::LimitRecord> records;
    for (std::uint16_t line = 0; line < lines; ++line) {
        LimitDefinition definition;
        definition.name = "line-" + std::to_string(line);
        definition.kind = LimitKind::fixed;
        definition.quota = 1'000'000;
        definition.window = std::chrono::minutes(1);
        records.push_back(std::get<core::LimitRecord>(core::to_record(definition)));
    }
    return records;
}

inline void open_ledger(core::State& state, core::Instant) {
    state.head->cells_in_use = state.head->limits_in_use;
    for (std::uint16_t line = 0; line < state.head->limits_in_use; ++line) {
        auto& cell = state.cell_storage[line];
        cell = {};
        cell.limit = line;
        cell.key = cell.previous = core::none;
        cell.in_use = 1;
        cell.expires_at = core::far;
    }
}

inline Result<std::unique_ptr<segment::Segment>> create_ledger(
    const segment::Place& place, const core::Capacity& capacity = {},
    const segment::AttachOptions& attach = {.label = "creator"},
    std::uint16_t lines = ledger_lines) {
    const auto records = ledger_definitions(lines);
    segment::CreateOptions options;
    options.capacity = capacity;
    options.definitions = records;
    options.fill = open_ledger;
    options.clock = attach.clock;
    return segment::Segment::create(place, options, attach);
}

inline bool enter(core::State& state, std::uint16_t line, core::Instant now) noexcept {
    ++state.cell_storage[line].lane[0].used;
    ++state.head->pause_generation;
    state.head->last_instant = std::max(state.head->last_instant, now);
    return true;
}

inline segment::CommitResult draw(segment::Segment& segment, std::uint16_t line,
                                  std::int64_t patience = 10 * core::second_ns) noexcept {
    return segment.commit(segment.clock().boot() + patience,
                          [line](core::State& state, const core::Rules&, core::Instant now) {
                              return enter(state, line, now);
                          });
}

struct Ledger {
    std::array<std::uint64_t, ledger_lines> lines{};
    std::uint64_t total = 0;
    std::uint64_t version = 0;
    bool adds_up = false;
};

inline Ledger read_ledger(const segment::StateCopy& copy) noexcept {
    Ledger ledger;
    const auto& state = copy.state();
    for (std::size_t line = 0; line < state.head->limits_in_use; ++line) {
        ledger.lines[line] = state.cell_storage[line].lane[0].used;
    }
    ledger.total = state.head->pause_generation;
    ledger.version = copy.version();
    const auto sum = std::accumulate(ledger.lines.begin(), ledger.lines.end(), std::uint64_t{0});
    ledger.adds_up = sum == ledger.total && ledger.version == ledger.total + 1;
    return ledger;
}

inline Result<Ledger> read_ledger(const segment::View& view) {
    auto copy = view.make_copy();
    if (auto done = view.snapshot(copy); !done) return tl::unexpected(done.error());
    return read_ledger(copy);
}

}  // namespace ratecoord::testing
