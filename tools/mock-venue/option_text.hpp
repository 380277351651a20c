// SPDX-License-Identifier: Apache-2.0
//
// Strict readers for the small values that options and requests are written in.
//
// Every reader takes the whole text or throws InvalidText; none of them guesses, rounds or clamps.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

// The text of an option or of a request's parameter cannot be used; what() says why.
class InvalidText : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Splits at every `separator`; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// Splits at the first `separator`. Throws InvalidText, naming `text`, where there is none.
std::pair<std::string_view, std::string_view> split_pair(std::string_view text, char separator);

// Blank-separated words; runs of blanks count once.
std::vector<std::string_view> words(std::string_view text);

// Decimal digits only, no sign.
std::uint64_t read_number(std::string_view text);

// A whole number and a unit: ns, us, ms, s, m, h or d. A missing number means 1 ("1m" and "m").
Nanos read_duration(std::string_view text);

// A probability between 0 and 1 with at most six decimals, in millionths, so that every draw is
// decided in integers.
std::uint32_t read_millionths(std::string_view text);

}  // namespace mock_venue
