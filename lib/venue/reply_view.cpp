// SPDX-License-Identifier: Apache-2.0
#include "venue/reply_view.hpp"

#include <algorithm>

#include "venue/http_date.hpp"

namespace ratecoord::venue {
namespace {

const JsonPointer every_member = JsonPointer::members();

bool is_object(std::string_view body) {
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '{';
}

}  // namespace

ReplyView::ReplyView(const Reply& reply, const Times& times) noexcept
    : reply_(&reply),
      received_at_(reply.received_at != BootTime() ? reply.received_at : times.now),
      sent_at_(times.sent),
      utc_ns_(subtract_saturating(times.utc_ns,
                                  subtract_saturating(times.now.time_since_epoch().count(),
                                                      received_at_.time_since_epoch().count()))),
      is_object_(is_object(reply.body)),
      members_walk_(reply.body, every_member) {}

const ReplyView::TopMember* ReplyView::top_member(std::size_t index) noexcept {
    while (index >= member_count_) {
        if (has_more_members_) return nullptr;
        const auto value = members_walk_.next();
        if (!value) return nullptr;
        if (member_count_ == members_max) {
            has_more_members_ = true;
            return nullptr;
        }
        members_[member_count_++] = {members_walk_.name(), *value};
    }
    return &members_[index];
}

std::optional<JsonValue> ReplyView::find(const JsonPointer& pointer) noexcept {
    for (std::size_t i = 0; i < found_count_; ++i) {
        if (found_[i].pointer == &pointer || *found_[i].pointer == pointer) return found_[i].value;
    }
    std::optional<JsonValue> value;
    visit_all(pointer, [&](const JsonValue& first) {
        value = first;
        return true;
    });
    if (found_count_ < found_max) found_[found_count_++] = {&pointer, value};
    return value;
}

std::optional<std::uint64_t> ReplyView::number_in(const JsonValue& value) noexcept {
    const bool may_be = value.kind == JsonValue::Kind::number ||
                        (value.kind == JsonValue::Kind::string && !value.has_escapes);
    return may_be ? parse_count(value.raw) : std::nullopt;
}

std::optional<std::uint64_t> ReplyView::number_at(const NumberSource& source) noexcept {
    std::optional<std::uint64_t> number;
    if (source.kind == NumberSource::Kind::header) {
        of_header(source.header, [&](std::string_view value) {
            if (const auto one = parse_count(value)) number = std::max(number.value_or(0), *one);
            return false;
        });
    } else if (source.kind == NumberSource::Kind::body) {
        of_body(source.pointer, [&](const JsonValue& value) {
            number = number_in(value);
            return true;
        });
    }
    return number;
}

void ReplyView::read_date() noexcept {
    if (date_was_read_) return;
    date_was_read_ = true;
    of_header("date", [&](std::string_view value) {
        const auto seconds = parse_http_date(value, utc_ns_ / second_ns);
        if (seconds) date_ns_ = multiply_saturating(*seconds, second_ns);
        return seconds.has_value();
    });
}

std::int64_t ReplyView::server_ns() noexcept {
    read_date();
    return date_ns_.value_or(utc_ns_);
}

bool ReplyView::has_date() noexcept {
    read_date();
    return date_ns_.has_value();
}

}  // namespace ratecoord::venue
