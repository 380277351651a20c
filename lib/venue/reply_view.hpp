// SPDX-License-Identifier: Apache-2.0
//
// A reply as the rules of a profile look at it: headers without regard to case, the body by
// pointer, the venue's own clock.
//
// PROMISE  V1  A lookup allocates nothing. The same pointer is looked up once.
//          V2  of_header() sees the values of all lines of that name, trimmed.
//          V3  server_ns() is the reply's Date where it has one that can be read, else our own UTC
//          at
//              receipt.
// SHARING  One thread; the reply must outlive it.
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
        JsonWalk walk(reply_->body, pointer);
        while (const auto value = walk.next()) {
            if (visit(*value)) return true;
        }
        return false;
    }

    /// A number at a place; of several header lines the largest.
    std::optional<std::uint64_t> number_at(const NumberSource& source) noexcept;
    /// A JSON number or numeric string.
    static std::optional<std::uint64_t> number_in(const JsonValue& value) noexcept;

    std::int64_t server_ns() noexcept;
    /// Whether server_ns() is the venue's word.
    bool has_date() noexcept;

  private:
    void read_date() noexcept;

    struct Found {
        const JsonPointer* pointer = nullptr;
        std::optional<JsonValue> value;
    };
    static constexpr std::size_t found_max = 8;

    const Reply* reply_;
    BootTime received_at_;
    BootTime sent_at_;
    std::int64_t utc_ns_;
    std::array<Found, found_max> found_;
    std::size_t found_count_ = 0;
    std::optional<std::int64_t> date_ns_;
    bool date_was_read_ = false;
};

}  // namespace ratecoord::venue
