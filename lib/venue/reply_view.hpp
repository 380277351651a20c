// SPDX-License-Identifier: Apache-2.0
//
// A reply as the rules of a profile look at it: headers without regard to case, the body by
// pointer, the venue's own clock.
//
// PROMISE  V1  A lookup allocates nothing. The body is walked once for the members of its object,
//              as far as lookups need it; the same pointer is looked up once.
//          V2  of_header() sees the values of all lines of that name, trimmed.
//          V3  server_ns() is the reply's Date where it has one that can be read, else our own UTC
//              at receipt.
// SHARING  One thread; the reply, and every pointer that is looked up, must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <ratecoord/reply.hpp>

#include "venue/json_text.hpp"
#include "venue/json_walk.hpp"
#include "venue/number.hpp"
#include "venue/pattern.hpp"
#include "venue/profile.hpp"

namespace ratecoord::venue {

/// The clocks at the call.
struct Times {
    BootTime now = {};
    std::int64_t utc_ns = 0;  ///< UTC at `now`
    BootTime sent = {};       ///< when the request went; not set: not known
};

class ReplyView {
  public:
    ReplyView(const Reply& reply, const Times& times) noexcept;

    const Reply& reply() const noexcept { return *reply_; }
    bool is_frame() const noexcept { return reply_->status == 0; }
    BootTime received_at() const noexcept { return received_at_; }
    BootTime sent_at() const noexcept { return sent_at_; }
    std::int64_t utc_ns() const noexcept { return utc_ns_; }  ///< ours, at receipt

    /// Calls visit(value) for each line called `lowered`; stops where it returns true.
    template <class Visit>
    bool of_header(std::string_view lowered, Visit&& visit) const {
        for (const auto& header : reply_->headers) {
            if (header.name.size() == lowered.size() && equal_ignoring_case(header.name, lowered) &&
                visit(trim(header.value))) {
                return true;
            }
        }
        return false;
    }
    bool has_header(std::string_view lowered) const noexcept {
        return of_header(lowered, [](std::string_view) { return true; });
    }

    std::optional<JsonValue> find(const JsonPointer& pointer) noexcept;
    /// Calls visit(value) for each value the pointer leads to; stops where it returns true.
    template <class Visit>
    bool of_body(const JsonPointer& pointer, Visit&& visit) {
        if (!pointer.has_star()) {
            const auto value = find(pointer);
            return value && visit(*value);
        }
        return visit_all(pointer, visit);
    }

    /// A number at a place; of several header lines the largest.
    std::optional<std::uint64_t> number_at(const NumberSource& source) noexcept;
    /// A JSON number or numeric string.
    static std::optional<std::uint64_t> number_in(const JsonValue& value) noexcept;

    std::int64_t server_ns() noexcept;
    /// Whether server_ns() is the venue's word.
    bool has_date() noexcept;

  private:
    struct TopMember {
        JsonValue name;
        JsonValue value;
    };
    static constexpr std::size_t members_max = 16;

    void read_date() noexcept;
    /// Member `index` of the object the body is, as far as there is one and it is remembered.
    const TopMember* top_member(std::size_t index) noexcept;

    template <class Visit>
    bool visit_walk(JsonWalk walk, Visit&& visit) {
        while (const auto value = walk.next()) {
            if (visit(*value)) return true;
        }
        return false;
    }
    template <class Visit>
    bool visit_all(const JsonPointer& pointer, Visit&& visit) {
        const auto& tokens = pointer.tokens();
        if (!is_object_ || tokens.empty()) {
            return visit_walk(JsonWalk(reply_->body, pointer), visit);
        }
        if (tokens[0].is_star) return false;
        for (std::size_t i = 0; const TopMember* member = top_member(i); ++i) {
            if (!equals(member->name, tokens[0].text)) continue;
            const auto value = member->value;
            if (tokens.size() == 1
                    ? visit(value)
                    : !value.is_scalar() && visit_walk(JsonWalk(value.raw, pointer, 1), visit)) {
                return true;
            }
        }
        // Beyond the members that are remembered; those before are met again, which changes
        // nothing.
        return has_more_members_ && visit_walk(JsonWalk(reply_->body, pointer), visit);
    }

    struct Found {
        const JsonPointer* pointer = nullptr;
        std::optional<JsonValue> value;
    };
    static constexpr std::size_t found_max = 8;

    const Reply* reply_;
    BootTime received_at_;
    BootTime sent_at_;
    std::int64_t utc_ns_;
    bool is_object_;
    bool has_more_members_ = false;
    JsonWalk members_walk_;
    std::array<TopMember, members_max> members_;
    std::size_t member_count_ = 0;
    std::array<Found, found_max> found_;
    std::size_t found_count_ = 0;
    std::optional<std::int64_t> date_ns_;
    bool date_was_read_ = false;
};

}  // namespace ratecoord::venue
