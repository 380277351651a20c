// SPDX-License-Identifier: Apache-2.0
//
// The parts of a profile, each read by a file of its own. Every function adds to `findings` what is
// wrong and leaves its part in a state that the others can be read against.
#pragma once

#include "venue/document.hpp"
#include "venue/fields.hpp"
#include "venue/profile.hpp"

namespace ratecoord::venue {

// profile_values.cpp: what several parts are made of.
Provenance read_provenance(Fields& fields, const Provenance& of_file);
std::optional<JsonPointer> read_pointer(Fields& fields, std::string_view key);
std::string read_header_name(Fields& fields, std::string_view key);
std::optional<Pattern> read_pattern(Fields& fields, std::string_view key);
std::optional<Literal> to_literal(const Node& node);
std::vector<Literal> read_literals(Fields& fields, std::string_view key);
std::vector<std::uint16_t> read_operation_list(Fields& fields, const Profile& profile);
std::uint16_t read_limit_name(Fields& fields, std::string_view key, const Profile& profile);
std::optional<Unit> read_unit(Fields& fields, std::string_view key);
/// {header = "..."} or {body = "/..."} at `key`; `unit` too where it is not nullptr.
NumberSource read_number_source(Fields& fields, std::string_view key, Findings& findings,
                                Unit* unit = nullptr);

// profile_limits.cpp
void read_limits(const Node& node, Profile& profile, Findings& findings);
// profile_operations.cpp; after the limits
void read_operations(const Node& node, Profile& profile, Findings& findings);
// profile_feedback.cpp; after limits and operations
void read_feedback(const Node& node, Profile& profile, Findings& findings);
// profile_signals.cpp; after limits and operations
void read_signals(const Node& node, Profile& profile, Findings& findings);
std::vector<WaitRule> read_waits(Fields& fields, const Profile& profile, Findings& findings);

// profile_check.cpp: what can only be said of the whole.
void check_profile(Profile& profile, Findings& findings);

}  // namespace ratecoord::venue
