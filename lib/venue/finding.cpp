// SPDX-License-Identifier: Apache-2.0
#include "venue/finding.hpp"

#include <algorithm>

namespace ratecoord::venue {

std::string Finding::text() const {
    return line == 0 ? file + ": " + reason : file + ":" + std::to_string(line) + ": " + reason;
}

std::uint16_t Findings::add_file(std::string file) {
    files_.push_back(std::move(file));
    return static_cast<std::uint16_t>(files_.size() - 1);
}

void Findings::add(Place place, std::string reason) {
    ++count_;
    if (list_.size() >= findings_max) return;
    const auto file = place.file < files_.size() ? files_[place.file] : std::string();
    list_.push_back({file, place.line, std::move(reason)});
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string shown(text.substr(0, longest));
    std::replace_if(
        shown.begin(), shown.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return "'" + shown + (text.size() > longest ? "...'" : "'");
}

}  // namespace ratecoord::venue
