// SPDX-License-Identifier: Apache-2.0
#include "herd/mix.hpp"

#include <algorithm>

namespace herd {

namespace {

std::vector<double> shares_of(const std::vector<RequestKind>& kinds) {
    std::vector<double> shares;
    for (const RequestKind& kind : kinds) shares.push_back(static_cast<double>(kind.share));
    return shares;
}

std::string joined(const std::vector<CostPart>& cost, char separator) {
    std::string text;
    for (const CostPart& part : cost) {
        if (!text.empty()) text += separator;
        text += part.limit + '=' + std::to_string(part.units);
    }
    return text;
}

}  // namespace

const KeyRing* ring_of(const std::vector<KeyRing>& rings, std::string_view limit) {
    const auto found = std::find_if(rings.begin(), rings.end(),
                                    [&](const KeyRing& ring) { return ring.limit == limit; });
    return found == rings.end() ? nullptr : &*found;
}

std::string as_query(const std::vector<CostPart>& cost) {
    return joined(cost, '&');
}

std::string as_header(const std::vector<CostPart>& cost) {
    return joined(cost, ',');
}

std::string as_json(const std::vector<CostPart>& cost) {
    std::string text = "{";
    for (const CostPart& part : cost) {
        if (text.size() > 1) text += ',';
        // Names of limits have no character that JSON would escape: options.cpp sees to it.
        text += '"' + part.limit + "\":" + std::to_string(part.units);
    }
    return text + '}';
}

Mix::Mix(const std::vector<RequestKind>& kinds, std::uint64_t seed) : random_(seed) {
    const std::vector<double> shares = shares_of(kinds);
    places_ = std::discrete_distribution<std::size_t>(shares.begin(), shares.end());
}

std::size_t kind_of_worker(const std::vector<RequestKind>& kinds, unsigned worker,
                           unsigned workers) {
    std::uint64_t sum = 0;
    for (const RequestKind& kind : kinds) sum += kind.share;
    // The middle of the worker's stretch of [0, sum), doubled to stay in whole numbers.
    const std::uint64_t place =
        (2 * std::uint64_t{worker} + 1) * sum / (2 * std::uint64_t{workers});
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        end += kinds[i].share;
        if (place < end) return i;
    }
    return kinds.size() - 1;
}

}  // namespace herd
