// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/limit_table.hpp"

#include <algorithm>

namespace mock_venue {

LimitTable::LimitTable(const std::vector<LimitSpec>& limits) {
    for (const LimitSpec& limit : limits) {
        rows_.emplace_back();
        rows_.back().spec = limit;
    }
}

std::optional<std::size_t> LimitTable::find(std::string_view name) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].spec.name == name) return i;
    }
    return std::nullopt;
}

Counter& LimitTable::counter(const Charge& charge) {
    Row& row = rows_[charge.limit];
    auto found = row.counters.find(charge.key);
    if (found == row.counters.end()) {
        found = row.counters.emplace(charge.key, make_counter(row.spec)).first;
    }
    return *found->second;
}

std::optional<Refusal> LimitTable::refusal(const std::vector<Charge>& charges, Instant now) {
    std::optional<Refusal> longest;
    for (const Charge& charge : charges) {
        if (charge.units == 0) continue;
        const Nanos wait = counter(charge).wait(charge.units, now);
        if (wait == Nanos::zero()) continue;
        if (!longest || wait > longest->wait) longest = Refusal{charge.limit, wait};
    }
    if (longest) ++rows_[longest->limit].refused;
    return longest;
}

void LimitTable::charge(const std::vector<Charge>& charges, Instant now, bool accepted) {
    for (const Charge& charge : charges) {
        if (charge.units == 0) continue;
        Row& row = rows_[charge.limit];
        Counter& used = counter(charge);
        used.charge(charge.units, now);
        row.max_used = std::max(row.max_used, used.used(now));
        if (accepted) row.charged += charge.units;
    }
}

std::vector<Usage> LimitTable::usage(const std::vector<Charge>& charges, Instant now) {
    std::vector<Usage> shown;
    shown.reserve(charges.size());
    for (const Charge& charge : charges) {
        Counter& used = counter(charge);
        shown.push_back({charge.limit, used.used(now), used.reset_at(now)});
    }
    return shown;
}

void LimitTable::set_quota(std::size_t limit, std::uint64_t quota, std::uint64_t burst,
                           Instant now) {
    Row& row = rows_[limit];
    row.spec.quota = quota;
    if (burst != 0) row.spec.burst = burst;
    for (auto& [key, used] : row.counters) used->set_quota(quota, row.spec.burst, now);
}

std::vector<LimitReport> LimitTable::report() const {
    std::vector<LimitReport> reports;
    for (const Row& row : rows_) {
        LimitReport report{&row.spec, row.max_used, row.charged, row.refused, {}};
        for (const auto& [key, used] : row.counters) report.counters.emplace(key, used.get());
        reports.push_back(std::move(report));
    }
    return reports;
}

}  // namespace mock_venue
