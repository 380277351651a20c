// SPDX-License-Identifier: Apache-2.0
#include "segment/definitions.hpp"

#include <algorithm>

#include "segment/checksum.hpp"
#include "segment/words.hpp"

namespace ratecoord::segment {

bool read_definitions(const std::byte* base, const Geometry& geometry, const core::StateHead& head,
                      std::span<core::LimitRecord> into) noexcept {
    const std::size_t limits = geometry.capacity.limits;
    if (head.definitions_copy > 1 || head.limits_in_use > limits) return false;
    load_words(into.data(), base + geometry.definitions[head.definitions_copy],
               geometry.definitions_bytes());
    if (checksum(into.data(), geometry.definitions_bytes()) != head.definitions_hash) return false;
    const auto current = into.first(head.limits_in_use);
    const auto previous = into.subspan(limits, head.limits_in_use);
    return std::all_of(current.begin(), current.end(),
                       [](const auto& record) { return core::valid(record); }) &&
           std::all_of(previous.begin(), previous.end(), [](const auto& record) {
               return record.in_use == 0 || core::valid(record);
           });
}

void compile_into(core::Rules& rules, std::span<const core::LimitRecord> current,
                  std::span<const core::LimitRecord> previous) {
    rules.current.resize(current.size());
    rules.previous.resize(current.size());
    for (std::size_t limit = 0; limit < current.size(); ++limit) {
        rules.current[limit] = core::compile(current[limit]);
        const bool replaced = limit < previous.size() && previous[limit].in_use != 0;
        rules.previous[limit] = replaced ? core::compile(previous[limit]) : core::Rule{};
    }
}

std::uint64_t write_definitions(std::byte* base, const Geometry& geometry, std::uint32_t copy,
                                const Definitions& definitions) {
    std::vector<core::LimitRecord> records(std::size_t{2} * geometry.capacity.limits);
    std::copy(definitions.current.begin(), definitions.current.end(), records.begin());
    std::copy(definitions.previous.begin(), definitions.previous.end(),
              records.begin() + geometry.capacity.limits);
    store_words(base + geometry.definitions[copy], records.data(), geometry.definitions_bytes());
    return checksum(records.data(), geometry.definitions_bytes());
}

std::string refusal(const Definitions& definitions, const Geometry& geometry) {
    const auto limits = geometry.capacity.limits;
    if (definitions.current.size() > limits || definitions.previous.size() > limits) {
        return std::to_string(definitions.current.size()) + " limits do not fit a segment for " +
               std::to_string(limits);
    }
    for (const auto& record : definitions.current) {
        if (!core::valid(record)) return "a definition is not one that could be kept";
    }
    for (const auto& record : definitions.previous) {
        if (record.in_use != 0 && !core::valid(record)) {
            return "a previous definition is not one that could be kept";
        }
    }
    return {};
}

}  // namespace ratecoord::segment
