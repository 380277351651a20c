// SPDX-License-Identifier: Apache-2.0
//
// The rules of a profile in words, as `profile show` and `explain` print them.
#pragma once

#include <string>
#include <string_view>

#include "venue/profile.hpp"

namespace ratectl {

/// "250", "5 to 250 by limit", "9 + orders", "6 with symbol, else 80".
std::string cost_text(const ratecoord::venue::CostRule& rule);
/// "status 429, body /code = -1015, text '*day*' at /msg".
std::string conditions_text(const ratecoord::venue::Profile& profile,
                            const ratecoord::venue::Signal& signal);
/// "Retry-After", "header X-RateLimit-Reset (epoch-s)", "10m".
std::string wait_text(const ratecoord::venue::Profile& profile,
                      const ratecoord::venue::WaitRule& rule);
/// "header x-mbx-used-weight-1m", "body /count", "count of an element of /rateLimits".
std::string count_text(const ratecoord::venue::Feedback& feedback);
/// "binance-spot.toml:512".
std::string place_text(const ratecoord::venue::Profile& profile, ratecoord::venue::Place place);

std::string_view name_of(ratecoord::Intent intent) noexcept;
std::string_view name_of(ratecoord::Lane lane) noexcept;

std::string_view unit_name(ratecoord::venue::Unit unit) noexcept;

}  // namespace ratectl
