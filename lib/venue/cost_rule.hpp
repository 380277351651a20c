// SPDX-License-Identifier: Apache-2.0
//
// What an operation draws from one limit, by the arguments it is called with.
//
// PROMISE  C1  A parameter the rule needs and the caller does not give is refused, unless the
//              profile says what its absence costs: nothing defaults to 0 or 1 silently.
//          C2  evaluate never returns more than largest().
// UNITS    Units of the limit. 0: this call draws nothing from it.
// ROUNDING Divisions round up, unless the rule says down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/profile.hpp>

#include "venue/finding.hpp"

namespace ratecoord::venue {

/// Above every quota a limit may have.
inline constexpr std::uint64_t units_max = std::uint64_t{1} << 31;

struct CostStep {
    std::uint64_t up_to = 0;  ///< the last value this step covers
    std::uint64_t units = 0;
};

struct CostRule {
    enum class Kind : std::uint8_t {
        fixed,    ///< `units`
        steps,    ///< by the first step whose up_to is not below the value; beyond: the last
        linear,   ///< base + each * value / divide, at most `most`
        present,  ///< `units` if the parameter is given
    };

    Kind kind = Kind::fixed;
    bool rounds_down = false;
    std::uint64_t units = 0;
    std::string parameter;
    std::optional<std::uint64_t> value_if_absent;  ///< "default"
    std::optional<std::uint64_t> cost_if_absent;   ///< "absent"
    std::optional<std::uint64_t> value_max;        ///< "up_to": larger values are refused
    std::vector<CostStep> steps;
    std::uint64_t base = 0;
    std::uint64_t each = 1;
    std::uint64_t divide = 1;
    std::optional<std::uint64_t> most;
};

struct CostAnswer {
    enum class Kind : std::uint8_t { known, missing, too_large };
    Kind kind = Kind::known;
    std::uint64_t units = 0;
};

CostAnswer evaluate(const CostRule& rule, std::span<const Argument> arguments) noexcept;

/// The most it can cost; where nothing bounds it, what the smallest call costs.
std::uint64_t largest(const CostRule& rule) noexcept;
bool is_bounded(const CostRule& rule) noexcept;

}  // namespace ratecoord::venue
