// SPDX-License-Identifier: Apache-2.0
#include "grammar/instant.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "grammar/number.hpp"

namespace ratecoord::grammar {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// Reads fixed-width fields from the front of a text.
class Fields {
  public:
    explicit Fields(std::string_view text) : rest_(text) {}

    std::optional<int> digits(std::size_t count) {
        if (rest_.size() < count) return std::nullopt;
        int value = 0;
        for (const char c : rest_.substr(0, count)) {
            if (c < '0' || c > '9') return std::nullopt;
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(count);
        return value;
    }

    bool literal(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    // ".5" as nanoseconds; nothing there is 0.
    std::optional<nanoseconds> fraction() {
        if (!literal('.')) return nanoseconds{0};
        std::int64_t value = 0;
        std::int64_t scale = 1'000'000'000;
        std::size_t count = 0;
        while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
            if (++count > 9) return std::nullopt;
            scale /= 10;
            value += (rest_.front() - '0') * scale;
            rest_.remove_prefix(1);
        }
        if (count == 0) return std::nullopt;
        return nanoseconds{value};
    }

    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

std::optional<std::chrono::sys_days> read_date(Fields& fields) {
    const auto year = fields.digits(4);
    if (!year || !fields.literal('-')) return std::nullopt;
    const auto month = fields.digits(2);
    if (!month || !fields.literal('-')) return std::nullopt;
    const auto day = fields.digits(2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    // Nanoseconds in 64 bits end in 2262.
    if (!date.ok() || *year < 1970 || *year > 2261) return std::nullopt;
    return std::chrono::sys_days(date);
}

std::optional<nanoseconds> read_time(Fields& fields) {
    const auto hour = fields.digits(2);
    if (!hour || *hour > 23 || !fields.literal(':')) return std::nullopt;
    const auto minute = fields.digits(2);
    if (!minute || *minute > 59 || !fields.literal(':')) return std::nullopt;
    const auto second = fields.digits(2);
    if (!second || *second > 59) return std::nullopt;
    const auto fraction = fields.fraction();
    if (!fraction) return std::nullopt;
    return hours{*hour} + minutes{*minute} + seconds{*second} + *fraction;
}

std::optional<minutes> read_offset(Fields& fields) {
    if (fields.literal('Z')) return minutes{0};
    const bool east = fields.literal('+');
    if (!east && !fields.literal('-')) return std::nullopt;
    const auto hour = fields.digits(2);
    if (!hour || *hour > 23 || !fields.literal(':')) return std::nullopt;
    const auto minute = fields.digits(2);
    if (!minute || *minute > 59) return std::nullopt;
    const minutes offset = hours{*hour} + minutes{*minute};
    return east ? offset : -offset;
}

// `at` must be whole milliseconds.
std::string write(std::chrono::sys_time<milliseconds> at, bool with_milliseconds) {
    const auto day = std::chrono::floor<days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    std::array<char, 64> text{};
    const auto printed = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
        static_cast<int>(time.seconds().count()));
    std::string written(text.data(), static_cast<std::size_t>(printed));
    if (with_milliseconds) {
        const auto thousandths = std::to_string(1000 + time.subseconds().count());
        written += "." + thousandths.substr(1);
    }
    return written + "Z";
}

}  // namespace

Result<UtcTime> parse_instant(std::string_view what, std::string_view text) {
    Fields fields(text);
    const auto refused = [&] {
        return fail(ErrorCode::invalid_argument,
                    std::string(what) + " " + in_quotes(text) +
                        " is not an instant such as 2027-03-02T10:02:00Z");
    };
    const auto date = read_date(fields);
    if (!date || !fields.literal('T')) return refused();
    const auto time = read_time(fields);
    if (!time) return refused();
    const auto offset = read_offset(fields);
    if (!offset || !fields.at_end()) return refused();
    return UtcTime{*date} + *time - *offset;
}

std::string format_instant(UtcTime at) {
    return write(std::chrono::ceil<seconds>(at), false);
}

std::string format_instant_ms(UtcTime at) {
    return write(std::chrono::ceil<milliseconds>(at), true);
}

}  // namespace ratecoord::grammar
