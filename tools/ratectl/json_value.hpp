// SPDX-License-Identifier: Apache-2.0
//
// The values that stand in our JSON.
//
// PROMISE  A document begins with its schema number, which changes only when a reader would break.
//          Durations are decimal seconds under names that end in _seconds, instants RFC 3339 in UTC
//          under names that end in _at. What is not known is null, never left out, never 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "ratectl/failure.hpp"

namespace ratectl {

using Json = nlohmann::ordered_json;

inline constexpr int schema_number = 1;

/// {"schema": 1}
Json new_document();
Json failure_document(const Failure& failure);

Json seconds_value(std::int64_t ns);
/// null if empty.
Json text_value(std::string_view text);

}  // namespace ratectl
