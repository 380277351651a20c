// SPDX-License-Identifier: Apache-2.0
//
// A venue's profile, read: plain structs with every name resolved to an index.
//
// PROMISE  M1  What the reader returns without a finding is complete: every index is in range,
//              every pattern and pointer is compiled, every limit passes core::to_record.
//          M2  Read-only after it was made; shared by any number of threads.
// UNITS    Typed time; units of the limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ratecoord/limit.hpp>
#include <ratecoord/profile.hpp>
#include <ratecoord/reply.hpp>

#include "venue/cost_rule.hpp"
#include "venue/finding.hpp"
#include "venue/json_pointer.hpp"
#include "venue/pattern.hpp"
#include "venue/unit.hpp"

namespace ratecoord::venue {

inline constexpr std::size_t limits_max = 32;
inline constexpr std::size_t operations_max = 256;
inline constexpr std::size_t signals_max = 64;
inline constexpr std::size_t feedback_max = 64;
inline constexpr std::uint16_t no_index = 0xffff;

/// Where numbers come from and how far they are to be believed. Tables without their own have the
/// file's.
struct Provenance {
    std::string as_of;  ///< 2026-07-21
    std::string source;
    char confidence = 'C';  ///< A vendor's own text, B third party, C weak
    std::string note;
};

struct Limit {
    LimitDefinition definition;
    Provenance provenance;
    Place place;
};

struct Draw {
    std::uint16_t limit = no_index;
    CostRule rule;
    Place place;
};

/// What a call turns out to have cost, where the venue says another number for its outcome.
struct Charge {
    std::uint16_t limit = no_index;
    std::uint64_t units = 0;
};

struct Operation {
    std::string name;
    Intent intent = Intent::read;
    Lane lane = Lane::normal;
    bool is_idempotent = true;
    std::vector<Draw> draws;
    std::vector<Charge> charge_ok;
    std::vector<Charge> charge_failed;
    Provenance provenance;
    Place place;
};

/// A value a condition compares with: numbers and numeric strings are equal, booleans are not text.
struct Literal {
    std::string text;
    bool is_boolean = false;
};

/// A place in a reply that holds a number.
struct NumberSource {
    enum class Kind : std::uint8_t { none, header, body };
    Kind kind = Kind::none;
    std::string header;  ///< lower case
    JsonPointer pointer;
};

struct MemberMatch {
    JsonPointer key;
    Literal value;
};

struct Feedback {
    std::uint16_t limit = no_index;
    bool is_remaining = false;
    NumberSource count;
    /// The first of these elements that has all of `where`; the count is its `field`.
    std::optional<JsonPointer> array;
    std::vector<MemberMatch> where;
    JsonPointer field;
    NumberSource minus;  ///< taken off the count
    NumberSource reset;  ///< end of the window the count belongs to
    Unit reset_unit = Unit::epoch_ms;
    std::optional<bool> frame;              ///< WebSocket frames alone, or HTTP replies alone
    std::vector<std::uint16_t> operations;  ///< empty: any
    Provenance provenance;
    Place place;
};

struct WaitRule {
    WaitSource source = WaitSource::retry_after;
    std::string header;        ///< lower case
    JsonPointer pointer;       ///< body, text
    bool has_pointer = false;  ///< text without one: the first 4 KiB of the body
    std::string after;         ///< text: lower case, what stands before the number
    Unit unit = Unit::epoch_ms;
    NumberSource now;                    ///< the venue's own clock, in the same unit
    std::chrono::nanoseconds fixed{0};   ///< WaitSource::fixed
    std::uint16_t window_of = no_index;  ///< WaitSource::fixed: to the next window of this limit
    Place place;
};

struct StatusRange {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
};

struct Signal {
    std::string name;
    // Conditions; those that are not written hold.
    std::vector<StatusRange> statuses;
    std::optional<bool> frame;
    std::string header;         ///< must be there; lower case
    std::string header_absent;  ///< must not be there
    std::optional<Pattern> header_text;
    std::optional<JsonPointer> body;  ///< must be there
    std::vector<Literal> equals;      ///< and equal one of these
    std::optional<Pattern> text;
    std::optional<JsonPointer> text_in;  ///< not given: the first 4 KiB of the body
    std::vector<std::uint16_t> operations;
    // What it means.
    Action action = Action::ok;
    Scope scope = Scope::request;
    std::string per;              ///< Scope::key: which dimension
    std::vector<WaitRule> waits;  ///< empty: the profile's
    bool takes_longest = false;
    std::chrono::nanoseconds at_least{0};
    bool is_charged = true;
    bool is_duplicate = false;
    std::optional<JsonPointer> partly_done;
    std::vector<Literal> partly_done_equals;
    Provenance provenance;
    Place place;
};

struct Profile {
    std::string file;                ///< as it was found
    std::vector<std::string> files;  ///< what a Place's file means
    std::string name;
    std::string budget;  ///< it draws on; its own name unless written
    std::string title;
    Provenance provenance;
    std::vector<std::string> hosts;
    OrderRules orders;
    std::optional<JsonPointer> frame_status;
    bool has_firewall_403 = false;
    std::chrono::nanoseconds longest_wait = std::chrono::hours(72);
    std::vector<WaitRule> waits;  ///< for signals without their own, and for statuses
    bool takes_longest = false;
    std::vector<Limit> limits;
    std::vector<Operation> operations;
    std::vector<Feedback> feedback;
    std::vector<Signal> signals;

    std::uint16_t find_limit(std::string_view name) const noexcept;
    std::uint16_t find_operation(std::string_view name) const noexcept;
};

/// The public handle of a model that was checked.
ratecoord::Profile handle_of(Profile model);

}  // namespace ratecoord::venue
