// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/history.hpp"

#include <algorithm>

namespace ratectl {

namespace {

// A gap up to this long is one between two samples; a longer one is shown as not looked at.
constexpr std::int64_t gap_ns = 12'000'000'000;

std::optional<std::uint64_t> rate(std::int64_t from_ns, std::int64_t to_ns, std::uint64_t before,
                                  std::uint64_t after) {
    const auto microseconds = (to_ns - from_ns) / 1000;
    if (microseconds <= 0 || after < before) return std::nullopt;
    return (after - before) * 1'000'000'000 / static_cast<std::uint64_t>(microseconds);
}

}  // namespace

std::uint16_t fullness_of(const ratecoord::CellSnapshot& cell) {
    std::uint64_t used = 0;
    std::uint64_t most = 0;
    for (const auto& lane : cell.lanes) {
        used += std::min(lane.used, lane.most);
        most += lane.most;
    }
    if (used == 0 || most == 0) return 0;
    const auto thousandths = used * 1000 / most;
    return static_cast<std::uint16_t>(std::max<std::uint64_t>(thousandths, 1));
}

TopHistory::Counts TopHistory::counts_of(const ratecoord::Snapshot& snapshot) {
    Counts counts;
    counts.at = snapshot.now;
    std::map<std::uint32_t, ClientCounts*> by_slot;
    for (const auto& client : snapshot.clients) {
        auto& of = counts.clients[{client.slot, client.generation}];
        of.permits = client.granted;
        of.units.resize(snapshot.limits.size());
        by_slot[client.slot] = &of;
    }
    for (std::size_t i = 0; i < snapshot.limits.size(); ++i) {
        counts.units.push_back(snapshot.limits[i].granted_units);
        for (const auto& drawn : snapshot.limits[i].drawn_by) {
            const auto found = by_slot.find(drawn.slot);
            if (found != by_slot.end()) found->second->units[i] = drawn.units;
        }
    }
    return counts;
}

void TopHistory::note(Slices& slices, std::int64_t at, std::uint16_t value) {
    const auto number = at / slice_ns;
    const auto behind = slices.values.empty() ? 1 : number - slices.last;
    if (behind <= 0) {
        slices.values.back() = std::max(slices.values.back().value_or(0), value);
        return;
    }
    const bool looked_away = behind > gap_ns / slice_ns;
    const auto missed = std::min<std::int64_t>(behind - 1, static_cast<std::int64_t>(slices_most));
    for (std::int64_t i = 0; i < missed; ++i) {
        slices.values.push_back(looked_away ? std::nullopt : std::optional(value));
    }
    slices.values.emplace_back(value);
    slices.last = number;
    while (slices.values.size() > slices_most) slices.values.pop_front();
}

void TopHistory::add(const TopSample& sample) {
    std::map<std::string, Past> kept;
    for (const auto& budget : sample.budgets) {
        if (!budget.problem.empty()) continue;
        const auto& snapshot = budget.snapshot;
        Past& past = kept[budget.name] = std::move(pasts_[budget.name]);
        if (past.segment != snapshot.segment_id) past = Past{snapshot.segment_id, {}, {}};
        past.counts.push_back(counts_of(snapshot));
        while (past.counts.size() > 2 && past.counts[1].at <= snapshot.now - rate_over_ns) {
            past.counts.pop_front();
        }
        // Keys come and go; what left the plot is forgotten.
        const auto oldest = snapshot.now / slice_ns - static_cast<std::int64_t>(slices_most);
        std::erase_if(past.slices, [&](const auto& each) { return each.second.last < oldest; });
        for (const auto& limit : snapshot.limits) {
            for (const auto& cell : limit.cells) {
                note(past.slices[{limit.definition.name, cell.key}], snapshot.now,
                     fullness_of(cell));
            }
        }
    }
    pasts_ = std::move(kept);
}

const TopHistory::Past* TopHistory::past_of(const std::string& budget) const {
    const auto found = pasts_.find(budget);
    return found == pasts_.end() || found->second.counts.empty() ? nullptr : &found->second;
}

std::optional<std::uint64_t> TopHistory::units_rate(const std::string& budget,
                                                    std::size_t limit) const {
    const auto* past = past_of(budget);
    if (past == nullptr) return std::nullopt;
    const auto& from = past->counts.front();
    const auto& to = past->counts.back();
    if (limit >= from.units.size() || limit >= to.units.size()) return std::nullopt;
    return rate(from.at, to.at, from.units[limit], to.units[limit]);
}

std::optional<std::uint64_t> TopHistory::permits_rate(
    const std::string& budget, const ratecoord::ClientSnapshot& client) const {
    const auto* past = past_of(budget);
    if (past == nullptr) return std::nullopt;
    const ClientId id{client.slot, client.generation};
    const auto& to = past->counts.back();
    for (const auto& from : past->counts) {  // it may have come after the first of them
        const auto before = from.clients.find(id);
        const auto after = to.clients.find(id);
        if (before == from.clients.end() || after == to.clients.end()) continue;
        return rate(from.at, to.at, before->second.permits, after->second.permits);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> TopHistory::units_rate(const std::string& budget,
                                                    const ratecoord::ClientSnapshot& client,
                                                    std::size_t limit) const {
    const auto* past = past_of(budget);
    if (past == nullptr) return std::nullopt;
    const ClientId id{client.slot, client.generation};
    const auto& to = past->counts.back();
    for (const auto& from : past->counts) {
        const auto before = from.clients.find(id);
        const auto after = to.clients.find(id);
        if (before == from.clients.end() || after == to.clients.end()) continue;
        if (limit >= before->second.units.size() || limit >= after->second.units.size()) continue;
        return rate(from.at, to.at, before->second.units[limit], after->second.units[limit]);
    }
    return std::nullopt;
}

Fullness TopHistory::fullness(const std::string& budget, const std::string& limit,
                              const std::string& key) const {
    const auto* past = past_of(budget);
    if (past == nullptr) return {};
    const auto found = past->slices.find({limit, key});
    if (found == past->slices.end()) return {};
    return {found->second.values.begin(), found->second.values.end()};
}

}  // namespace ratectl
