// SPDX-License-Identifier: Apache-2.0
#include "venue/signals.hpp"

#include <algorithm>

namespace ratecoord::venue {
namespace {

bool is_one_of(const JsonValue& value, const std::vector<Literal>& literals) {
    return std::any_of(literals.begin(), literals.end(),
                       [&](const Literal& literal) { return equals(value, literal); });
}

bool matches_text(const Signal& signal, ReplyView& view) {
    if (!signal.text_in) {
        return signal.text->matches(view.reply().body.substr(0, text_bytes_max));
    }
    return view.of_body(*signal.text_in, [&](const JsonValue& value) {
        TextBuffer buffer;
        return value.is_scalar() && signal.text->matches(text_of(value, buffer));
    });
}

bool matches_headers(const Signal& signal, const ReplyView& view) {
    if (!signal.header_absent.empty() && view.has_header(signal.header_absent)) return false;
    if (signal.header.empty()) return true;
    return view.of_header(signal.header, [&](std::string_view value) {
        return !signal.header_text || signal.header_text->matches(value.substr(0, text_bytes_max));
    });
}

bool matches_body(const Signal& signal, ReplyView& view) {
    return view.of_body(*signal.body, [&](const JsonValue& value) {
        return signal.equals.empty() || is_one_of(value, signal.equals);
    });
}

/// Cheapest conditions first: most signals of most replies fail at the status.
bool matches(const Signal& signal, ReplyView& view, int status, std::uint16_t operation) {
    const auto has_status = [&](const StatusRange& range) {
        return range.first <= status && status <= range.last;
    };
    if (!signal.statuses.empty() &&
        std::none_of(signal.statuses.begin(), signal.statuses.end(), has_status)) {
        return false;
    }
    if (signal.frame && *signal.frame != view.is_frame()) return false;
    if (!signal.operations.empty() && std::find(signal.operations.begin(), signal.operations.end(),
                                                operation) == signal.operations.end()) {
        return false;
    }
    return matches_headers(signal, view) && (!signal.body || matches_body(signal, view)) &&
           (!signal.text || matches_text(signal, view));
}

}  // namespace

int status_of(const Profile& profile, ReplyView& view) noexcept {
    if (!view.is_frame() || !profile.frame_status) return view.reply().status;
    const auto value = view.find(*profile.frame_status);
    const auto status = value ? ReplyView::number_in(*value) : std::nullopt;
    return status && *status >= 100 && *status <= 599 ? static_cast<int>(*status) : 0;
}

std::uint16_t matching_signal(const Profile& profile, ReplyView& view, int status,
                              std::uint16_t operation) noexcept {
    for (std::size_t i = 0; i < profile.signals.size(); ++i) {
        if (matches(profile.signals[i], view, status, operation)) {
            return static_cast<std::uint16_t>(i);
        }
    }
    return no_index;
}

bool is_partly_done(const Signal& signal, ReplyView& view) noexcept {
    return signal.partly_done && view.of_body(*signal.partly_done, [&](const JsonValue& value) {
        return is_one_of(value, signal.partly_done_equals);
    });
}

}  // namespace ratecoord::venue
