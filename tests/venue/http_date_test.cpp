// SPDX-License-Identifier: Apache-2.0
#include "venue/http_date.hpp"

#include <cstdlib>
#include <ctime>
#include <string>

#include "support/catch.hpp"
#include "venue/retry_after.hpp"

using ratecoord::venue::parse_http_date;
using ratecoord::venue::parse_retry_after;

namespace {

constexpr std::int64_t now_2026 = 1'785'585'600;  // 2026-08-01T12:00:00Z

/// TZ for one scope, as a process would have it.
class Zone {
  public:
    explicit Zone(const char* name) {
        if (const char* old = std::getenv("TZ")) before_ = old;
        if (name == nullptr) {
            ::unsetenv("TZ");
        } else {
            ::setenv("TZ", name, 1);
        }
        ::tzset();
    }
    ~Zone() {
        before_.empty() ? ::unsetenv("TZ") : ::setenv("TZ", before_.c_str(), 1);
        ::tzset();
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

  private:
    std::string before_;
};

}  // namespace

TEST_CASE("the three forms of RFC 9110 name one instant") {
    constexpr std::int64_t instant = 784'111'777;
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", now_2026) == instant);
    CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now_2026) == instant);
    CHECK(parse_http_date("Sun Nov  6 08:49:37 1994", now_2026) == instant);
}

TEST_CASE("a date is read to the last byte, in the case and with the blanks of the grammar") {
    const auto* text = GENERATE(
        "", "Sun", "Sun,", "Sun, ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun,  06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 NOV 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06 Nov 94 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov 06 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov   6 08:49:37 1994",
        "Sun Nov  16 08:49:37 1994", "Sunday Nov  6 08:49:37 1994", "06 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 2027 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT");
    CAPTURE(text);
    CHECK_FALSE(parse_http_date(text, now_2026));
}

TEST_CASE("a leap day is a day of leap years, second 60 the first of the next minute") {
    CHECK(parse_http_date("Tue, 29 Feb 2028 00:00:00 GMT", 0) == 1'835'395'200);
    CHECK(parse_http_date("Tue, 29 Feb 2000 00:00:00 GMT", 0) == 951'782'400);
    CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", 0) == 1'483'228'800);
}

TEST_CASE("the weekday is not compared with the date") {
    CHECK(parse_http_date("Mon, 06 Nov 1994 08:49:37 GMT", 0) == 784'111'777);
}

TEST_CASE("a two-digit year lies at most fifty years ahead") {
    const auto year_94 = parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now_2026);
    CHECK(year_94 == 784'111'777);
    // Fifty years after 2026-08-01T12:00:00Z, to the second.
    CHECK(parse_http_date("Saturday, 01-Aug-76 12:00:00 GMT", now_2026) == 3'363'508'800);
    CHECK(parse_http_date("Saturday, 01-Aug-76 12:00:01 GMT", now_2026) == 207'748'801);
    // Towards the end of a century the next one is near.
    constexpr std::int64_t now_2099 = 4'070'908'800;
    CHECK(parse_http_date("Tuesday, 01-Jan-01 00:00:00 GMT", now_2099) == 4'133'980'800);
    CHECK(parse_http_date("Friday, 01-Jan-99 00:00:00 GMT", now_2099) == 4'070'908'800);
}

TEST_CASE("any clock may complete a two-digit year") {
    const auto now = GENERATE(std::int64_t{0}, -86'400, 253'402'300'799,
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max());
    CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now));
}

TEST_CASE("B09: the host's time zone does not leak in") {
    const char* zone = GENERATE("America/New_York", "Asia/Kolkata", "Pacific/Chatham", "UTC",
                                ":/nonexistent", static_cast<const char*>(nullptr));
    const Zone scope(zone);
    constexpr std::int64_t now = 1'593'120'492;  // 2020-06-25T21:28:12Z
    CHECK(parse_retry_after("Thu, 25 Jun 2020 21:30:12 GMT", now) == 120);
}

TEST_CASE("B09: an hour that the zone's daylight saving leaves out is an hour of UTC") {
    const Zone scope("Europe/Berlin");
    CHECK(parse_http_date("Sun, 28 Mar 2027 02:30:00 GMT", now_2026) == 1'806'201'000);
}

TEST_CASE("B10: asctime is UTC, and a date without its zone is none") {
    constexpr std::int64_t now = 1'559'561'292;  // 2019-06-03T11:28:12Z
    CHECK(parse_retry_after("Mon Jun  3 11:30:12 2019", now) == 120);
    CHECK_FALSE(parse_retry_after("Mon Jun 3 11:30:12 2019", now));
    // Two digits are a day of the grammar, a leading zero too.
    CHECK(parse_retry_after("Mon Jun 03 11:30:12 2019", now) == 120);
    CHECK_FALSE(parse_retry_after("Mon, 03 Jun 2019 11:30:12", now));
    CHECK_FALSE(parse_retry_after("Mon, 03 Jun 2019 11:30:12 ", now));
}

TEST_CASE("B11: no zone but GMT is read") {
    constexpr std::int64_t now = 1'803'981'600;  // 2027-03-02T10:00:00Z
    const std::string date = "Tue, 02 Mar 2027 10:02:00 ";
    CHECK(parse_retry_after(date + "GMT", now) == 120);
    const auto* zone = GENERATE("-0000", "+0000", "UTC", "UT", "Z", "EST", "+0100", "-0500", "gmt",
                                "GMT+1", "GMT0", "GMTX");
    CAPTURE(zone);
    CHECK_FALSE(parse_retry_after(date + zone, now));
}

TEST_CASE("B24: dates beyond 2038 and 2106 are read, five-digit years are not") {
    CHECK(parse_http_date("Tue, 19 Jan 2038 03:14:07 GMT", now_2026) == 2'147'483'647);
    CHECK(parse_http_date("Tue, 19 Jan 2038 03:14:08 GMT", now_2026) == 2'147'483'648);
    CHECK(parse_http_date("Sun, 07 Feb 2106 06:28:16 GMT", now_2026) == 4'294'967'296);
    CHECK(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT", now_2026) == 253'402'300'799);
    CHECK_FALSE(parse_http_date("Sat, 01 Jan 10000 00:00:00 GMT", now_2026));
    CHECK_FALSE(parse_retry_after("Sat, 01 Jan 0000 00:00:00 GMT", now_2026));
    CHECK_FALSE(parse_retry_after("Sat, 01 Jan 1600 00:00:00 GMT", now_2026));
}
