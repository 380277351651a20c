// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <vector>

#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/instant.hpp"
#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::grammar;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST_CASE("a duration is read exactly") {
    const std::pair<const char*, nanoseconds> table[] = {
        {"0s", 0ns},
        {"1ns", 1ns},
        {"999us", 999us},
        {"250ms", 250ms},
        {"0.5s", 500ms},
        {"0.000000001s", 1ns},
        {"1.5h", 90min},
        {"1m30s", 90s},
        {"1h2m3s4ms5us6ns", 1h + 2min + 3s + 4ms + 5us + 6ns},
        {"7d", 168h},
        {"0.10000000000000000000s", 100ms},
        {"007s", 7s},
        {"106751d", 106751 * 24h},
    };
    for (const auto& [text, expected] : table) {
        INFO(text);
        const auto read = parse_duration("window", text);
        REQUIRE(read);
        CHECK(*read == expected);
    }
}

TEST_CASE("a duration that is not one is refused, and the message names value and reason") {
    const std::pair<const char*, const char*> table[] = {
        {"", "window '' is empty"},
        {"30", "window '30' needs a unit: ns, us, ms, s, m, h or d"},
        {"-5s", "window '-5s' is negative"},
        {"+5s", "window '+5s' has no number before '+5s'"},
        {"5x", "window '5x' has the unknown unit 'x'; write ns, us, ms, s, m, h or d"},
        {"5 s", "window '5 s' has the unknown unit ' s'; write ns, us, ms, s, m, h or d"},
        {"5s ", "window '5s ' has the unknown unit 's '; write ns, us, ms, s, m, h or d"},
        {"5S", "window '5S' has the unknown unit 'S'; write ns, us, ms, s, m, h or d"},
        {"1e9s", "window '1e9s' has the unknown unit 'e'; write ns, us, ms, s, m, h or d"},
        {"nan", "window 'nan' has no number before 'nan'"},
        {"infs", "window 'infs' has no number before 'infs'"},
        {"s", "window 's' has no number before 's'"},
        {".5s", "window '.5s' has no number before '.5s'"},
        {"5.s", "window '5.s' has no digit after its point"},
        {"1s1m", "window '1s1m' does not go from larger units to smaller ones"},
        {"1s1s", "window '1s1s' does not go from larger units to smaller ones"},
        {"1.5m30s", "window '1.5m30s' has a fraction before its last part"},
        {"0.5ns", "window '0.5ns' is not a whole number of nanoseconds"},
        {"0.0000000001s", "window '0.0000000001s' is not a whole number of nanoseconds"},
        {"106752d", "window '106752d' is longer than 292 years"},
        {"99999999999999999999s", "window '99999999999999999999s' is longer than 292 years"},
        {"5s\n", "window '5s?' has the unknown unit 's?'; write ns, us, ms, s, m, h or d"},
    };
    for (const auto& [text, expected] : table) {
        const auto read = parse_duration("window", text);
        INFO(text);
        REQUIRE_FALSE(read);
        CHECK(read.error().message == expected);
    }
}

TEST_CASE("a whole number has digits and nothing else") {
    CHECK(parse_number("quota", "0").value() == 0);
    CHECK(parse_number("quota", "18446744073709551615").value() == 18446744073709551615ULL);
    for (const char* text : {"", "-1", "+1", "1e9", "0x10", "1.5", "nan", "inf", " 1", "1 ",
                             "18446744073709551616", "1'000", "1,000", "\xc2\xb2"}) {
        INFO(text);
        CHECK_FALSE(parse_number("quota", text));
    }
    CHECK(parse_number("quota", "-1").error().message == "quota '-1' is negative");
}

TEST_CASE("a limit is read with every field, and with none") {
    const auto plain = parse_limit("weight=6000/1m").value();
    CHECK(plain == LimitDefinition{.name = "weight", .quota = 6000, .window = 1min});

    const auto full = parse_limit(
        "orders=50/10s,kind=fixed,burst=5,slack=50ms,per=account,reserve=5%,spread,largest=2");
    REQUIRE(full);
    CHECK(*full == LimitDefinition{.name = "orders",
                                   .kind = LimitKind::fixed,
                                   .quota = 50,
                                   .window = 10s,
                                   .burst = 5,
                                   .slack = 50ms,
                                   .per = "account",
                                   .reserve_percent = 5,
                                   .spread = true,
                                   .largest_cost = 2});
    CHECK(format_limit(*full) ==
          "orders=50/10s,kind=fixed,burst=5,slack=50ms,per=account,reserve=5%,spread,largest=2");
    CHECK(parse_limit("b=20/1s,kind=bucket,burst=50").value().kind == LimitKind::bucket);
    CHECK(parse_limit("s=1/100ms,kind=spacing").value().window == 100ms);
}

TEST_CASE("a limit that is not one is refused, and the message names value and reason") {
    const std::pair<const char*, const char*> table[] = {
        {"", "limit '' is not written NAME=QUOTA/WINDOW, such as weight=6000/1m,kind=fixed"},
        {"weight", "is not written NAME=QUOTA/WINDOW"},
        {"=6000/1m", "has no name"},
        {"weight=6000", "limit 'weight': '6000' is not QUOTA/WINDOW"},
        {"weight=/1m", "limit 'weight': quota '' is empty"},
        {"weight=6000/", "limit 'weight': window '' is empty"},
        {"weight=-1/1m", "limit 'weight': quota '-1' is negative"},
        {"weight=1e9/1m", "limit 'weight': quota '1e9' is not a whole number"},
        {"weight=nan/1m", "limit 'weight': quota 'nan' is not a whole number"},
        {"weight=18446744073709551616/1m", "is larger than any count can be"},
        {"weight=6000/60", "window '60' needs a unit"},
        {"weight=6000/1m,", "a field after a comma is empty"},
        {"weight=6000/1m,,spread", "a field after a comma is empty"},
        {"weight=6000/1m,kind=sliding", "kind 'sliding' is none of"},
        {"weight=6000/1m,kind", "kind needs a value"},
        {"weight=6000/1m,burst=0", "burst '0' must be at least 1"},
        {"weight=6000/1m,largest=0", "largest '0' must be at least 1"},
        {"weight=6000/1m,burst=5,burst=6", "burst is given twice"},
        {"weight=6000/1m,spread=1", "spread takes no value"},
        {"weight=6000/1m,reserve=5", "reserve '5' is not a percentage such as 5%"},
        {"weight=6000/1m,reserve=101%", "reserve '101%' is above 100%"},
        {"weight=6000/1m,per=", "per '' is empty"},
        {"weight=6000/1m,colour=red", "the field 'colour' is none of"},
        {"weight=6000/1m fixed", "has the unknown unit 'm fixed'"},
    };
    for (const auto& [text, expected] : table) {
        const auto read = parse_limit(text);
        INFO(text);
        REQUIRE_FALSE(read);
        CHECK_THAT(read.error().message, Catch::Contains(expected));
    }
}

TEST_CASE("what a changed limit leaves out stays as it is") {
    const auto base = parse_limit("w=6000/1m,kind=fixed,burst=300,slack=500ms,spread").value();
    const auto quota = parse_limit("w=3000/1m", &base).value();
    CHECK(quota == parse_limit("w=3000/1m,kind=fixed,burst=300,slack=500ms,spread").value());
    CHECK(parse_limit("w=100/1m", &base).value().burst == 100);
    const auto kind = parse_limit("w=6000/1m,kind=rolling", &base).value();
    CHECK(kind.burst == 0);
    CHECK_FALSE(kind.spread);
    CHECK(parse_limit("w=6000/1m,burst=7", &base).value().burst == 7);
}

TEST_CASE("a cost names each limit once, and keys belong to it") {
    const std::vector<std::string> items{"weight=25", "orders=1"};
    const std::vector<std::string> keys{"orders=acct:main"};
    const auto cost = parse_cost(items, keys).value();
    CHECK(cost == std::vector<CostText>{{"weight", 25, ""}, {"orders", 1, "acct:main"}});

    const auto refusal = [](std::vector<std::string> costs, std::vector<std::string> names) {
        const auto read = parse_cost(costs, names);
        return read ? std::string("accepted") : read.error().message;
    };
    CHECK(refusal({}, {}) == "no cost is given; write NAME=UNITS, such as weight=25");
    CHECK(refusal({"weight"}, {}) == "cost 'weight' is not written NAME=UNITS, such as weight=25");
    CHECK(refusal({"weight=0"}, {}) == "cost 'weight=0': units '0' must be at least 1");
    CHECK(refusal({"weight=-1"}, {}) == "cost 'weight=-1': units '-1' is negative");
    CHECK(refusal({"weight="}, {}) == "cost 'weight=': units '' is empty");
    CHECK(refusal({"w=1", "w=2"}, {}) == "cost 'w=2': the limit is named twice");
    CHECK(refusal({"w=1"}, {"o=main"}) ==
          "--key 'o=main' is for a limit that the cost does not name");
    CHECK(refusal({"o=1"}, {"o=a", "o=b"}) == "--key 'o=b': the limit has a key already");
    CHECK(refusal({"o=1"}, {"o="}) == "--key 'o=' is not written NAME=VALUE");
}

TEST_CASE("an instant is read with its offset, and written rounded up") {
    const auto at = parse_instant("--until", "2027-03-02T10:02:00Z").value();
    CHECK(format_instant(at) == "2027-03-02T10:02:00Z");
    CHECK(parse_instant("--until", "2027-03-02T11:02:00+01:00").value() == at);
    CHECK(parse_instant("--until", "2027-03-02T04:32:00-05:30").value() == at);
    CHECK(format_instant(at + 1ns) == "2027-03-02T10:02:01Z");
    CHECK(format_instant_ms(parse_instant("--until", "2027-03-02T10:02:00.1234Z").value()) ==
          "2027-03-02T10:02:00.124Z");
    for (const char* text :
         {"", "2027-03-02", "2027-03-02 10:02:00Z", "2027-03-02T10:02:00", "2027-03-02T10:02Z",
          "2027-02-29T10:02:00Z", "2027-13-02T10:02:00Z", "2027-03-02T24:02:00Z",
          "2027-03-02T10:02:60Z", "2027-03-02T10:02:00ZZ", "2027-03-02T10:02:00.Z",
          "2027-03-02T10:02:00+0100", "1969-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "tomorrow"}) {
        INFO(text);
        CHECK_FALSE(parse_instant("--until", text));
    }
}

TEST_CASE("a quoted text stays on one line and short") {
    CHECK(in_quotes("a\nb\x1b[31m") == "'a?b?[31m'");
    CHECK(in_quotes(std::string(200, 'x')) == "'" + std::string(80, 'x') + "...'");
}
