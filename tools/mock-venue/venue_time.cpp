// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/venue_time.hpp"

#include <array>
#include <cstdio>

namespace mock_venue {

namespace chrono = std::chrono;

std::int64_t seconds_up(Nanos duration) {
    return chrono::ceil<chrono::seconds>(duration).count();
}

std::int64_t epoch_ms_up(Instant instant) {
    return chrono::ceil<chrono::milliseconds>(instant).time_since_epoch().count();
}

std::int64_t epoch_ms(Instant instant) {
    return chrono::floor<chrono::milliseconds>(instant).time_since_epoch().count();
}

std::int64_t epoch_ns(Instant instant) {
    return instant.time_since_epoch().count();
}

std::string http_date(Instant instant) {
    static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = chrono::floor<chrono::days>(instant);
    const chrono::year_month_day date{day};
    const chrono::hh_mm_ss clock{chrono::floor<chrono::seconds>(instant - day)};
    // Not strftime: its day and month names follow the process's locale, HTTP's never do.
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
        days.at(chrono::weekday{day}.c_encoding()), static_cast<unsigned>(date.day()),
        months.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()));
    return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace mock_venue
