// SPDX-License-Identifier: Apache-2.0
#include "venue/http_date.hpp"

#include <array>
#include <tuple>

#include "venue/number.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::array<std::string_view, 7> weekdays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr std::int64_t day_s = 86'400;

/// Days from 1970-01-01 in the proleptic Gregorian calendar.
constexpr std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
    // Years begin in March, so that the leap day is the last of its year.
    const std::int64_t y = month <= 2 ? year - 1 : year;
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
    const std::int64_t year_of_era = y - era * 400;
    const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const std::int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + day_of_era - 719'468;
}
static_assert(days_from_civil(1970, 1, 1) == 0);
static_assert(days_from_civil(2000, 3, 1) == 11'017);

constexpr bool is_leap(std::int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

struct Fields {
    std::int64_t year = 0;
    std::int64_t month = 0;
    std::int64_t day = 0;
    std::int64_t second_of_day = 0;
};

bool is_possible(const Fields& f) {
    constexpr std::array<std::int64_t, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (f.month < 1 || f.month > 12 || f.day < 1) return false;
    const auto length = lengths[static_cast<std::size_t>(f.month - 1)];
    return f.day <= length + (f.month == 2 && is_leap(f.year) ? 1 : 0);
}

std::int64_t epoch_of(const Fields& f) {
    return days_from_civil(f.year, f.month, f.day) * day_s + f.second_of_day;
}

/// Takes what it expects off the front of a text; once something is missing, it stays failed.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    void expect(std::string_view text) {
        if (rest_.starts_with(text)) {
            rest_.remove_prefix(text.size());
        } else {
            failed_ = true;
        }
    }
    std::int64_t digits(std::size_t count) {
        if (rest_.size() < count) failed_ = true;
        std::int64_t value = 0;
        for (std::size_t i = 0; i < count && !failed_; ++i) {
            if (!is_digit(rest_[i])) failed_ = true;
            value = value * 10 + (rest_[i] - '0');
        }
        if (!failed_) rest_.remove_prefix(count);
        return value;
    }
    std::int64_t month() {
        for (std::size_t i = 0; i < months.size(); ++i) {
            if (!rest_.starts_with(months[i])) continue;
            rest_.remove_prefix(3);
            return static_cast<std::int64_t>(i) + 1;
        }
        failed_ = true;
        return 0;
    }
    std::int64_t time_of_day() {
        const auto hour = digits(2);
        expect(":");
        const auto minute = digits(2);
        expect(":");
        const auto second = digits(2);
        if (hour > 23 || minute > 59 || second > 60) failed_ = true;
        return hour * 3600 + minute * 60 + second;
    }
    /// The day of asctime: two digits, or a blank and one.
    std::int64_t padded_day() {
        if (!rest_.starts_with(' ')) return digits(2);
        expect(" ");
        return digits(1);
    }
    bool done() const { return !failed_ && rest_.empty(); }

  private:
    std::string_view rest_;
    bool failed_ = false;
};

/// The weekday's whole name; empty if the text starts with none.
std::string_view weekday_of(std::string_view text) {
    for (const auto name : weekdays) {
        if (text.starts_with(name.substr(0, 3))) return name;
    }
    return {};
}

Fields civil_from_epoch(std::int64_t epoch) {
    const std::int64_t days = epoch / day_s - (epoch % day_s < 0 ? 1 : 0);
    const std::int64_t z = days + 719'468;
    const std::int64_t era = (z >= 0 ? z : z - 146'096) / 146'097;
    const std::int64_t day_of_era = z - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t shifted = (5 * day_of_year + 2) / 153;  // 0 is March
    Fields f;
    f.month = shifted + (shifted < 10 ? 3 : -9);
    f.year = year_of_era + era * 400 + (f.month <= 2 ? 1 : 0);
    f.day = day_of_year - (153 * shifted + 2) / 5 + 1;
    f.second_of_day = epoch - days * day_s;
    return f;
}

/// Gives a two-digit year its century.
void complete_year(Fields& f, std::int64_t now_s) {
    // A clock from which fifty years ahead or a century back are no year of four digits is none.
    constexpr std::int64_t first_s = days_from_civil(50, 1, 1) * day_s;
    constexpr std::int64_t end_s = days_from_civil(9950, 1, 1) * day_s;
    if (now_s < first_s || now_s >= end_s) now_s = 0;
    Fields latest = civil_from_epoch(now_s);
    latest.year += 50;
    f.year += latest.year / 100 * 100;
    const auto in_order = [](const Fields& g) {
        return std::tuple(g.year, g.month, g.day, g.second_of_day);
    };
    if (in_order(f) > in_order(latest)) f.year -= 100;
}

std::optional<std::int64_t> finish(const Scanner& scanner, const Fields& f) {
    if (!scanner.done() || !is_possible(f)) return std::nullopt;
    return epoch_of(f);
}

/// ", 06 Nov 1994 08:49:37 GMT", with that between the parts of the day, and a year of that length.
Fields scan_date(Scanner& scanner, std::string_view between, std::size_t year_digits) {
    Fields f;
    scanner.expect(", ");
    f.day = scanner.digits(2);
    scanner.expect(between);
    f.month = scanner.month();
    scanner.expect(between);
    f.year = scanner.digits(year_digits);
    scanner.expect(" ");
    f.second_of_day = scanner.time_of_day();
    scanner.expect(" GMT");
    return f;
}

std::optional<std::int64_t> parse_imf(std::string_view text) {
    Scanner scanner(text.substr(3));
    const Fields f = scan_date(scanner, " ", 4);
    return finish(scanner, f);
}

std::optional<std::int64_t> parse_rfc850(std::string_view text, std::string_view weekday,
                                         std::int64_t now_s) {
    Scanner scanner(text);
    scanner.expect(weekday);
    Fields f = scan_date(scanner, "-", 2);
    if (scanner.done()) complete_year(f, now_s);
    return finish(scanner, f);
}

std::optional<std::int64_t> parse_asctime(std::string_view text) {
    Scanner scanner(text.substr(3));
    Fields f;
    scanner.expect(" ");
    f.month = scanner.month();
    scanner.expect(" ");
    f.day = scanner.padded_day();
    scanner.expect(" ");
    f.second_of_day = scanner.time_of_day();
    scanner.expect(" ");
    f.year = scanner.digits(4);
    return finish(scanner, f);
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now_s) noexcept {
    const auto weekday = weekday_of(text);
    if (weekday.empty() || text.size() < 4) return std::nullopt;
    if (text[3] == ',') return parse_imf(text);
    if (text[3] == ' ') return parse_asctime(text);
    return parse_rfc850(text, weekday, now_s);
}

}  // namespace ratecoord::venue
