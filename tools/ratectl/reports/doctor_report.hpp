// SPDX-License-Identifier: Apache-2.0
//
// What the doctor found, what needs a hand first.
#pragma once

#include <string>
#include <vector>

#include "ratectl/console.hpp"
#include "ratectl/doctor/finding.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

struct DoctorReport {
    std::string taken_at;  ///< RFC 3339
    std::vector<Finding> findings;
};

/// By grade; else as they were found: the host, then one budget after the other.
void put_attention_first(DoctorReport& report);
std::size_t count_attention(const DoctorReport& report);

std::string render_text(const DoctorReport& report, const Console& console);
Json render_json(const DoctorReport& report);

}  // namespace ratectl
