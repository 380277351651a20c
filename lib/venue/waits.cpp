// SPDX-License-Identifier: Apache-2.0
#include "venue/waits.hpp"

#include <algorithm>

#include "venue/retry_after.hpp"

namespace ratecoord::venue {
namespace {

using MaybeNs = std::optional<std::int64_t>;

void take_longer(MaybeNs& longest, MaybeNs other) {
    if (other) longest = std::max(longest.value_or(0), *other);
}

MaybeNs from_retry_after(ReplyView& view) {
    MaybeNs longest;
    view.of_header("retry-after", [&](std::string_view value) {
        const auto seconds = parse_retry_after(value, view.server_ns() / second_ns);
        if (seconds) take_longer(longest, multiply_saturating(*seconds, second_ns));
        return false;
    });
    return longest;
}

/// The venue's clock for an instant.
std::int64_t clock_of(const WaitRule& rule, ReplyView& view) {
    if (const auto now = view.number_at(rule.now)) {
        if (const auto utc = to_utc_ns(*now)) return utc->ns;
    }
    return view.server_ns();
}

MaybeNs from_number(const WaitRule& rule, std::optional<std::uint64_t> number, ReplyView& view) {
    if (!number) return std::nullopt;
    return wait_of(*number, rule.unit, is_epoch(rule.unit) ? clock_of(rule, view) : 0);
}

MaybeNs from_header(const WaitRule& rule, ReplyView& view) {
    MaybeNs longest;
    view.of_header(rule.header, [&](std::string_view value) {
        take_longer(longest, from_number(rule, parse_count(value), view));
        return false;
    });
    return longest;
}

MaybeNs from_body(const WaitRule& rule, ReplyView& view) {
    MaybeNs longest;
    view.of_body(rule.pointer, [&](const JsonValue& value) {
        take_longer(longest, from_number(rule, ReplyView::number_in(value), view));
        return false;
    });
    return longest;
}

/// The whole number right behind `after` (A16: never one that stands elsewhere). A part of a longer
/// word, of a fraction or of another number is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view after) {
    const auto equal = [](char a, char b) { return lower(a) == b; };
    auto from = text.begin();
    while (true) {
        const auto found = std::search(from, text.end(), after.begin(), after.end(), equal);
        if (found == text.end()) return std::nullopt;
        auto end = found + static_cast<std::ptrdiff_t>(after.size());
        const auto first = end;
        while (end != text.end() && is_digit(*end)) ++end;
        const bool goes_on =
            end != text.end() &&
            ((lower(*end) >= 'a' && lower(*end) <= 'z') || *end == '_' ||
             ((*end == '.' || *end == ',') && end + 1 != text.end() && is_digit(*(end + 1))));
        if (!goes_on) {
            if (const auto number = parse_count({first, end})) return number;
        }
        from = found + 1;
    }
}

MaybeNs from_text(const WaitRule& rule, ReplyView& view) {
    if (!rule.has_pointer) {
        const auto text = view.reply().body.substr(0, text_bytes_max);
        return from_number(rule, number_after(text, rule.after), view);
    }
    MaybeNs longest;
    view.of_body(rule.pointer, [&](const JsonValue& value) {
        TextBuffer buffer;
        const auto text = text_of(value, buffer);
        take_longer(longest, from_number(rule, number_after(text, rule.after), view));
        return false;
    });
    return longest;
}

MaybeNs wait_by(const Profile& profile, const WaitRule& rule, ReplyView& view) {
    switch (rule.source) {
        case WaitSource::retry_after:
            return from_retry_after(view);
        case WaitSource::header:
            return from_header(rule, view);
        case WaitSource::body:
            return from_body(rule, view);
        case WaitSource::text:
            return from_text(rule, view);
        case WaitSource::fixed:
            if (rule.window_of >= profile.limits.size()) return rule.fixed.count();
            return to_next_window(profile.limits[rule.window_of].definition, view.server_ns());
        case WaitSource::none:
        case WaitSource::fallback:
            break;
    }
    return std::nullopt;
}

}  // namespace

std::int64_t to_next_window(const LimitDefinition& limit, std::int64_t server_ns) noexcept {
    const std::int64_t window = limit.window.count();
    if (limit.kind != LimitKind::fixed || window <= 0 || server_ns < 0) return window;
    return window - server_ns % window;
}

std::optional<Wait> named_wait(const Profile& profile, ReplyView& view,
                               std::span<const WaitRule> rules, bool takes_longest) noexcept {
    std::optional<Wait> best;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto ns = wait_by(profile, rules[i], view);
        if (!ns || *ns <= 0 || (best && *ns <= best->ns)) continue;
        best = Wait{*ns, rules[i].source, static_cast<std::uint16_t>(i)};
        if (!takes_longest) break;
    }
    return best;
}

}  // namespace ratecoord::venue
