// SPDX-License-Identifier: Apache-2.0
#include "venue/counts.hpp"

#include <algorithm>

namespace ratecoord::venue {
namespace {

/// How far a reset may lie beyond one window before it is taken for something else.
constexpr std::int64_t skew_ns = 60 * second_ns;

bool has_members(const JsonValue& element, const std::vector<MemberMatch>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const MemberMatch& member) {
        const auto value = find(element.raw, member.key);
        return value && equals(*value, member.value);
    });
}

std::optional<std::uint64_t> count_in_array(const Feedback& feedback, ReplyView& view) {
    std::optional<std::uint64_t> count;
    view.of_body(*feedback.array, [&](const JsonValue& element) {
        if (!has_members(element, feedback.where)) return false;
        if (const auto value = find(element.raw, feedback.field)) {
            count = ReplyView::number_in(*value);
        }
        return true;
    });
    return count;
}

/// Of several header lines: the most used, the least left.
std::optional<std::uint64_t> count_in_header(const Feedback& feedback, ReplyView& view) {
    std::optional<std::uint64_t> count;
    view.of_header(feedback.count.header, [&](std::string_view value) {
        const auto one = parse_count(value);
        if (!one) return false;
        count = !count                  ? *one
                : feedback.is_remaining ? std::min(*count, *one)
                                        : std::max(*count, *one);
        return false;
    });
    return count;
}

std::optional<std::uint64_t> count_of(const Feedback& feedback, ReplyView& view) {
    std::optional<std::uint64_t> count;
    if (feedback.array) {
        count = count_in_array(feedback, view);
    } else if (feedback.count.kind == NumberSource::Kind::header) {
        count = count_in_header(feedback, view);
    } else {
        count = view.number_at(feedback.count);
    }
    if (!count || feedback.minus.kind == NumberSource::Kind::none) return count;
    const auto minus = view.number_at(feedback.minus);
    if (!minus) return std::nullopt;
    return *count > *minus ? *count - *minus : 0;
}

/// U2.
std::uint64_t as_the_kind_counts(const LimitDefinition& limit, bool is_remaining,
                                 std::uint64_t count) {
    const bool wants_remaining = limit.kind != LimitKind::fixed;
    if (wants_remaining == is_remaining) return count;
    const std::uint64_t whole =
        limit.kind == LimitKind::bucket && limit.burst != 0 ? limit.burst : limit.quota;
    return whole > count ? whole - count : 0;
}

std::int64_t window_of(std::int64_t utc_ns, std::int64_t window) {
    return utc_ns >= 0 ? utc_ns / window : -1;
}

/// UTC of an instant inside the window the count belongs to; nothing if that cannot be said.
std::optional<std::int64_t> instant_of(const Feedback& feedback, const LimitDefinition& limit,
                                       ReplyView& view) {
    const std::int64_t window = limit.window.count();
    if (feedback.reset.kind != NumberSource::Kind::none) {
        if (const auto number = view.number_at(feedback.reset)) {
            const auto now = view.server_ns();
            const auto left = wait_of(*number, feedback.reset_unit, now);
            // In the past or now, a reset says nothing; too far ahead, it is of something else.
            if (left && *left > window + skew_ns) return std::nullopt;
            if (left && !is_epoch(feedback.reset_unit)) return now;
            if (left) return to_utc_ns(*number)->ns - 1;
        }
    }
    if (view.has_date()) return view.server_ns();
    if (view.sent_at() != BootTime()) {
        const auto on_the_way = (view.received_at() - view.sent_at()).count();
        const auto sent_utc = subtract_saturating(view.utc_ns(), on_the_way);
        if (window_of(sent_utc, window) != window_of(view.utc_ns(), window)) return std::nullopt;
    }
    return view.utc_ns();
}

/// On our clock: as far from receipt as the venue's clock says.
BootTime to_boot(std::int64_t utc_ns, const ReplyView& view) {
    const auto ahead = subtract_saturating(utc_ns, view.utc_ns());
    return BootTime(std::chrono::nanoseconds(
        add_saturating(view.received_at().time_since_epoch().count(), ahead)));
}

bool concerns(const Feedback& feedback, const ReplyView& view, std::uint16_t operation) {
    if (feedback.frame && *feedback.frame != view.is_frame()) return false;
    return feedback.operations.empty() ||
           std::find(feedback.operations.begin(), feedback.operations.end(), operation) !=
               feedback.operations.end();
}

}  // namespace

Counts read_counts(const Profile& profile, ReplyView& view, std::uint16_t operation) noexcept {
    Counts counts;
    for (std::size_t i = 0; i < profile.feedback.size() && counts.size < counts_max; ++i) {
        const auto& feedback = profile.feedback[i];
        if (!concerns(feedback, view, operation)) continue;
        const auto count = count_of(feedback, view);
        if (!count) continue;
        const auto& limit = profile.limits[feedback.limit].definition;
        const bool is_fixed = limit.kind == LimitKind::fixed;
        const auto instant =
            is_fixed ? instant_of(feedback, limit, view) : std::optional(view.utc_ns());
        if (!instant) {
            ++counts.dropped;
            continue;
        }
        counts.list[counts.size++] = {feedback.limit, static_cast<std::uint16_t>(i), !is_fixed,
                                      as_the_kind_counts(limit, feedback.is_remaining, *count),
                                      to_boot(*instant, view)};
    }
    return counts;
}

}  // namespace ratecoord::venue
