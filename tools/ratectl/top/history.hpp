// SPDX-License-Identifier: Apache-2.0
//
// What earlier samples add to the latest: rates, and how full each limit was over the last minutes.
//
// PROMISE  A rate is what was granted between two samples at least `rate_over_ns` apart, or as far
//          apart as there are; it is unknown after one sample, and when counters were begun anew.
//          A budget made anew under the same name starts without a past.
// UNITS    Rates in thousandths a second, fullness in thousandths.
// SHARING  One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ratectl/top/sample.hpp"

namespace ratectl {

/// How full a limit was in each slice of time, the highest of its samples; none: not looked at.
using Fullness = std::vector<std::optional<std::uint16_t>>;

/// Of units in use, all lanes together; 1 to 1000 where there are any.
std::uint16_t fullness_of(const ratecoord::CellSnapshot& cell);

class TopHistory {
  public:
    static constexpr std::int64_t rate_over_ns = 2'000'000'000;
    static constexpr std::int64_t slice_ns = 2'000'000'000;
    static constexpr std::size_t slices_most = 150;

    void add(const TopSample& sample);

    std::optional<std::uint64_t> units_rate(const std::string& budget, std::size_t limit) const;
    std::optional<std::uint64_t> permits_rate(const std::string& budget,
                                              const ratecoord::ClientSnapshot& client) const;
    std::optional<std::uint64_t> units_rate(const std::string& budget,
                                            const ratecoord::ClientSnapshot& client,
                                            std::size_t limit) const;
    /// Oldest first, the slice that runs last; at most `slices_most`.
    Fullness fullness(const std::string& budget, const std::string& limit,
                      const std::string& key) const;

  private:
    using ClientId = std::pair<std::uint32_t, std::uint32_t>;  // slot and generation

    struct ClientCounts {
        std::uint64_t permits = 0;
        std::vector<std::uint64_t> units;  // by limit
    };
    struct Counts {
        std::int64_t at = 0;
        std::vector<std::uint64_t> units;  // by limit
        std::map<ClientId, ClientCounts> clients;
    };
    struct Slices {
        std::int64_t last = 0;  // number of the latest slice
        std::deque<std::optional<std::uint16_t>> values;
    };
    struct Past {
        std::string segment;
        std::deque<Counts> counts;
        std::map<std::pair<std::string, std::string>, Slices> slices;
    };

    static Counts counts_of(const ratecoord::Snapshot& snapshot);
    static void note(Slices& slices, std::int64_t at, std::uint16_t value);
    const Past* past_of(const std::string& budget) const;

    std::map<std::string, Past> pasts_;
};

}  // namespace ratectl
