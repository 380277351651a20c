// SPDX-License-Identifier: Apache-2.0
//
// Readers of single option values. Limits, costs, durations and numbers are read by tools/grammar,
// so that herd and ratectl accept the same texts.
//
// ERRORS   UsageError, naming the option and quoting the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ratecoord/limit.hpp>

#include "herd/mix.hpp"
#include "herd/private_bucket.hpp"

namespace herd {

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& why);

std::uint64_t read_count(const std::string& option, const std::string& text, std::uint64_t least,
                         std::uint64_t most);

// More than 0, at most 366 days.
std::int64_t read_span_ns(const std::string& option, const std::string& text);

// A span; a number without a unit is in seconds, as in "0.5".
std::int64_t read_seconds_ns(const std::string& option, const std::string& text);

ratecoord::LimitDefinition read_limit(const std::string& text);

std::vector<CostPart> read_costs(const std::string& option, const std::vector<std::string>& texts);

std::vector<RequestKind> read_mix(const std::string& text);

KeyRing read_keys(const std::string& text);

PrivateBucketRule read_private_bucket(const std::string& text);

// A header name, or empty.
std::string read_header(const std::string& option, const std::string& text);

std::string read_venue(const std::string& text);

}  // namespace herd
