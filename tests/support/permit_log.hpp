// SPDX-License-Identifier: Apache-2.0
//
// Every permit that any process of a test was given, and the venue's rules counted over them by
// brute force: written from the rules, not from the library.
//
// PROMISE  over_*() name what a venue could object to, if every request arrives at the worst moment
//          between its permit's instant and valid_until. Nothing is lost when a writer is killed
//          but the line it was writing.
// SHARING  Lives in memory that parent and children share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <ratecoord/permit.hpp>

#include "core/time.hpp"

namespace ratecoord::testing {

struct PermitLine {
    std::int64_t at;
    std::int64_t handed_out;  ///< read after the call returned
    std::int64_t valid_until;
    std::uint64_t id;
    std::uint32_t units;
    std::uint32_t worker;
};

struct PermitLog {
    static constexpr std::uint64_t most = 400'000;
    std::atomic<std::uint64_t> next{0};
    std::array<PermitLine, most> lines;

    static std::int64_t count(BootTime t) { return t.time_since_epoch().count(); }

    void add(const Permit& permit, std::uint32_t units, int worker) {
        const auto line = next.fetch_add(1);
        if (line >= most) return;
        lines[line] = {count(permit.at()),
                       count(BootClock::now()),
                       count(permit.valid_until()),
                       permit.id(),
                       units,
                       static_cast<std::uint32_t>(worker)};
    }

    /// By instant; lines whose writer died in them are left out.
    std::vector<PermitLine> sorted() const {
        std::vector<PermitLine> all;
        for (std::uint64_t i = 0; i < std::min(next.load(), most); ++i) {
            if (lines[i].units != 0) all.push_back(lines[i]);
        }
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
        return all;
    }
};

/// Most units any window of `window` could hold; a request may arrive up to `slack` late.
inline std::uint64_t most_in_any_window(const std::vector<PermitLine>& sorted, std::int64_t window,
                                        std::int64_t slack) {
    std::uint64_t most = 0;
    std::uint64_t sum = 0;
    std::size_t first = 0;
    for (const PermitLine& line : sorted) {
        sum += line.units;
        while (sorted[first].at + window + slack <= line.at) sum -= sorted[first++].units;
        most = std::max(most, sum);
    }
    return most;
}

/// Most units of one aligned window, each request in the window of its instant; `astray` counts
/// those that could arrive in another than that one.
inline std::uint64_t most_in_aligned_windows(const std::vector<PermitLine>& sorted,
                                             std::int64_t window, std::int64_t utc_offset,
                                             int& astray) {
    std::uint64_t most = 0;
    std::uint64_t sum = 0;
    std::int64_t current = -1;
    for (const PermitLine& line : sorted) {
        const auto index = (line.at + utc_offset) / window;
        if ((line.valid_until + utc_offset) / window != index) ++astray;
        if (index != current) sum = 0;
        current = index;
        sum += line.units;
        most = std::max(most, sum);
    }
    return most;
}

/// Permits that came to their owner after the instant they had to be used by.
inline int stale(const std::vector<PermitLine>& sorted) {
    return static_cast<int>(std::count_if(sorted.begin(), sorted.end(), [](const auto& line) {
        return line.handed_out > line.valid_until || line.handed_out < line.at;
    }));
}

inline int same_id_twice(std::vector<PermitLine> lines) {
    std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    int twice = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) twice += lines[i].id == lines[i - 1].id ? 1 : 0;
    return twice;
}

/// Permits for an instant inside (from, until).
inline int inside(const std::vector<PermitLine>& sorted, std::int64_t from, std::int64_t until) {
    return static_cast<int>(std::count_if(sorted.begin(), sorted.end(), [&](const auto& line) {
        return line.at > from && line.at < until;
    }));
}

}  // namespace ratecoord::testing
