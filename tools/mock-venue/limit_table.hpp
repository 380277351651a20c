// SPDX-License-Identifier: Apache-2.0
//
// All limits of the venue, each with one counter per key.
//
// PROMISE  A request is charged to all limits it draws from or to none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mock-venue/counting.hpp"
#include "mock-venue/limit_spec.hpp"

namespace mock_venue {

// Units drawn from the limit at `limit` (its place in the table) under `key`.
struct Charge {
    std::size_t limit = 0;
    std::string key;
    std::uint64_t units = 0;
};

struct Refusal {
    std::size_t limit = 0;  // the one that makes the client wait longest
    Nanos wait{};
};

// What one counter shows after a request: for headers and the log.
struct Usage {
    std::size_t limit = 0;
    std::uint64_t used = 0;
    Instant reset_at{};
};

struct LimitReport {
    const LimitSpec* spec = nullptr;
    std::uint64_t max_used = 0;  // the most units any one key had in use at once
    std::uint64_t charged = 0;   // units of accepted requests
    std::uint64_t refused = 0;   // requests refused because of this limit
    std::map<std::string, const Counter*> counters;
};

class LimitTable {
  public:
    explicit LimitTable(const std::vector<LimitSpec>& limits);

    std::size_t size() const { return rows_.size(); }
    const LimitSpec& spec(std::size_t limit) const { return rows_[limit].spec; }
    std::optional<std::size_t> find(std::string_view name) const;

    // Nothing if every charge fits at `now`. Counts nothing.
    std::optional<Refusal> refusal(const std::vector<Charge>& charges, Instant now);

    // Counts every charge. `accepted` is false for a rejected request that counts all the same.
    void charge(const std::vector<Charge>& charges, Instant now, bool accepted);

    // In the order of `charges`.
    std::vector<Usage> usage(const std::vector<Charge>& charges, Instant now);

    // Changes the quota of a limit, for all its keys; `burst` of 0 keeps a bucket's capacity.
    void set_quota(std::size_t limit, std::uint64_t quota, std::uint64_t burst, Instant now);

    std::vector<LimitReport> report() const;

  private:
    struct Row {
        LimitSpec spec;
        std::map<std::string, std::unique_ptr<Counter>, std::less<>> counters;
        std::uint64_t max_used = 0;
        std::uint64_t charged = 0;
        std::uint64_t refused = 0;
    };

    Counter& counter(const Charge& charge);

    std::vector<Row> rows_;
};

}  // namespace mock_venue
