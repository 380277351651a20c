// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a profile, and on which line.
//
// PROMISE  At most `findings_max` are kept, so that a broken file fills one screen at most; `count`
//          goes on counting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ratecoord::venue {

/// Where something stands. `file` indexes the files that were read: 0 the profile itself, then what
/// it extends.
struct Place {
    std::uint16_t file = 0;
    std::uint32_t line = 0;

    bool operator==(const Place&) const = default;
};

struct Finding {
    std::string file;
    std::uint32_t line = 0;  ///< 0: the file as a whole
    std::string reason;

    /// "binance-spot.toml:12: limit 'weight': quota is 0; ..."
    std::string text() const;
};

inline constexpr std::size_t findings_max = 20;

class Findings {
  public:
    /// The number of `file` in a Place.
    std::uint16_t add_file(std::string file);
    const std::vector<std::string>& files() const noexcept { return files_; }

    void add(Place place, std::string reason);
    const std::vector<Finding>& list() const noexcept { return list_; }
    std::size_t count() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }

  private:
    std::vector<std::string> files_;
    std::vector<Finding> list_;
    std::size_t count_ = 0;
};

/// The text in quotes, fit for one line: controls shown as '?', the end of a long one cut off.
std::string in_quotes(std::string_view text);

}  // namespace ratecoord::venue
