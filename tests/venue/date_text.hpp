// SPDX-License-Identifier: Apache-2.0
//
// Writes HTTP dates, independently of the reader under test.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ratecoord::testing {

enum class DateForm { imf, rfc850, asctime };

/// Needs a year from 0 to 9999.
inline std::string date_text(std::int64_t epoch_s, DateForm form) {
    static constexpr const char* days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                           "Thursday", "Friday", "Saturday"};
    static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::chrono::sys_seconds instant{std::chrono::seconds{epoch_s}};
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{instant - day};
    const char* weekday = days[std::chrono::weekday{day}.c_encoding()];
    const char* month = months[static_cast<unsigned>(date.month()) - 1];
    const auto number = static_cast<unsigned>(date.day());
    const int year = static_cast<int>(date.year());
    const auto h = static_cast<int>(time.hours().count());
    const auto m = static_cast<int>(time.minutes().count());
    const auto s = static_cast<int>(time.seconds().count());
    char text[80];
    switch (form) {
        case DateForm::imf:
            std::snprintf(text, sizeof text, "%.3s, %02u %s %04d %02d:%02d:%02d GMT", weekday,
                          number, month, year, h, m, s);
            break;
        case DateForm::rfc850:
            std::snprintf(text, sizeof text, "%s, %02u-%s-%02d %02d:%02d:%02d GMT", weekday, number,
                          month, year % 100, h, m, s);
            break;
        case DateForm::asctime:
            std::snprintf(text, sizeof text, "%.3s %s %2u %02d:%02d:%02d %04d", weekday, month,
                          number, h, m, s, year);
            break;
    }
    return text;
}

}  // namespace ratecoord::testing
