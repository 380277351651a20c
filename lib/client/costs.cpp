// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "client/impl.hpp"

namespace ratecoord {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

tl::unexpected<Error> unknown_limit(std::string_view wanted,
                                    const std::vector<core::LimitRecord>& records) {
    std::string known;
    for (const auto& record : records) {
        known += known.empty() ? "" : ", ";
        known += record.name.data();
    }
    return fail(ErrorCode::unknown_name, "there is no limit " + quoted(wanted),
                "its limits are: " + known);
}

}  // namespace

Result<core::Draw> Budget::Impl::resolve(const CostItem& item,
                                         const std::vector<core::LimitRecord>& records) const {
    const auto found = std::find_if(records.begin(), records.end(), [&](const auto& record) {
        return item.limit == record.name.data();
    });
    if (found == records.end()) return unknown_limit(item.limit, records);
    const core::Rule rule = core::compile(*found);
    const std::uint64_t largest = std::max(rule.lane[0].largest, rule.lane[1].largest);
    const std::string what = "limit " + quoted(item.limit);
    if (item.units == 0) return fail(ErrorCode::invalid_argument, what + ": a cost of 0 units");
    if (item.units > largest) {
        return fail(ErrorCode::invalid_argument, what + ": " + std::to_string(item.units) +
                                                     " units can never fit; at most " +
                                                     std::to_string(largest) + " at once");
    }
    if (rule.keyed && item.key.empty()) {
        return fail(ErrorCode::invalid_argument,
                    what + " is counted per " + found->per.data() + ": name the key");
    }
    if (!rule.keyed && !item.key.empty()) {
        return fail(ErrorCode::invalid_argument,
                    what + " is not keyed, but a key " + quoted(item.key) + " was given");
    }
    core::Draw draw;
    draw.limit = static_cast<std::uint16_t>(found - records.begin());
    draw.units = static_cast<std::uint32_t>(item.units);
    if (rule.keyed) {
        const client::KeyHash hash = client::key_hash(found->per.data(), item.key);
        draw.key_high = hash.high;
        draw.key_low = hash.low;
    }
    return draw;
}

Result<std::vector<core::LimitRecord>> client::records_of(const segment::View& view) {
    segment::StateCopy copy = view.make_copy();
    if (auto read = view.snapshot(copy); !read) return tl::unexpected(read.error());
    auto in_force = view.definitions(copy);
    if (!in_force) return tl::unexpected(in_force.error());
    return std::move(in_force->current);
}

Result<Cost> Budget::cost(std::initializer_list<CostItem> items) const {
    return cost(std::span(items.begin(), items.size()));
}

Result<Cost> Budget::cost(std::span<const CostItem> items) const {
    if (items.empty() || items.size() > detail::charges_max) {
        return fail(ErrorCode::invalid_argument,
                    "a cost names 1 to 8 limits, not " + std::to_string(items.size()));
    }
    auto records = impl_->records();
    if (!records) return tl::unexpected(records.error());
    Cost cost;
    cost.budget_ = impl_->name_hash;
    for (const CostItem& item : items) {
        auto draw = impl_->resolve(item, *records);
        if (!draw) return tl::unexpected(draw.error());
        for (std::size_t i = 0; i < cost.count_; ++i) {
            const detail::Charge& other = cost.charges_[i];
            if (other.limit == draw->limit && other.key_high == draw->key_high &&
                other.key_low == draw->key_low) {
                return fail(ErrorCode::invalid_argument,
                            "limit " + quoted(item.limit) + " is named twice");
            }
        }
        cost.charges_[cost.count_++] = {draw->limit, draw->cell,     draw->generation,
                                        draw->units, draw->key_high, draw->key_low};
    }
    if (auto bound = impl_->bind_keys(cost, items, *records); !bound) {
        return tl::unexpected(bound.error());
    }
    return cost;
}

/// An empty cost would be free, and one of another budget would charge whatever stands at its
/// indices.
Result<void> Budget::Impl::refuse_foreign(const Cost& cost) const noexcept {
    if (cost.budget_ == name_hash) return {};
    return fail(ErrorCode::invalid_argument,
                cost.count_ == 0 ? "an empty cost" : "a cost of another budget than '" + name + "'",
                "make costs with the cost() of the budget they are used with");
}

/// Makes the cells of new keys now, so that requests find them by index, and names them for tools.
/// Where there is no room the request itself will say so.
Result<void> Budget::Impl::bind_keys(Cost& cost, std::span<const CostItem> items,
                                     const std::vector<core::LimitRecord>& records) {
    core::Request request;
    fill_request(request, cost, 0);
    std::array<std::uint16_t, core::max_charges> keys{};
    std::array<std::uint32_t, core::max_charges> generations{};
    bool bound = false;
    auto done = commit(
        now() + client::stop_patience_ns,
        [&](client::Attachment&, core::State& state, const core::Rules& rules, core::Instant now) {
            std::size_t which = 0;
            core::Request trial = request;
            trial.lane = Lane::critical;  // either lane's largest will do here
            bound = core::bind(state, rules, trial, now, which) == core::Binding::bound;
            if (!bound) return segment::Verdict::discard;
            for (std::size_t i = 0; i < trial.count; ++i) {
                request.draws[i] = trial.draws[i];
                keys[i] = state.cell_storage[trial.draws[i].cell].key;
                generations[i] = keys[i] == core::none ? 0 : state.key_storage[keys[i]].generation;
            }
            return segment::Verdict::publish;
        });
    if (!done) return tl::unexpected(done.error());
    if (!bound) return {};
    for (std::size_t i = 0; i < cost.count_; ++i) {
        cost.charges_[i].cell = request.draws[i].cell;
        cost.charges_[i].generation = request.draws[i].generation;
        if (keys[i] == core::none) continue;
        attachment().segment->set_key_name(
            keys[i], generations[i], records[request.draws[i].limit].per.data(), items[i].key);
    }
    return {};
}

}  // namespace ratecoord
