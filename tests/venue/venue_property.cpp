// SPDX-License-Identifier: Apache-2.0
//
// What holds for every text.
#include <rapidcheck.h>

#include <limits>
#include <string>
#include <vector>

#include "venue/cost_rule.hpp"
#include "venue/date_text.hpp"
#include "venue/duration.hpp"
#include "venue/http_date.hpp"
#include "venue/json_walk.hpp"
#include "venue/mutation.hpp"
#include "venue/pattern.hpp"
#include "venue/retry_after.hpp"
#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr std::int64_t year_0 = -62'167'219'200;
constexpr std::int64_t end_of_9999 = 253'402'300'799;
constexpr std::int64_t century = 3'155'760'000;

std::string any_bytes(const std::string& likely) {
    return *rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                           rc::gen::container<std::string>(rc::gen::elementOf(likely)));
}

DateForm any_form() {
    return *rc::gen::element(DateForm::imf, DateForm::rfc850, DateForm::asctime);
}

/// The text without its weekday, its seconds as they count, a day of asctime with its blank.
std::string canonical(std::string text) {
    text.erase(0, text.find_first_of(" ,"));
    if (text.size() > 6 && text[0] == ' ' && text[5] == '0') text[5] = ' ';
    return text;
}

bool naive_match(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') {
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (naive_match(pattern.substr(1), text.substr(i))) return true;
        }
        return false;
    }
    if (text.empty() || (pattern[0] != '?' && venue::lower(pattern[0]) != venue::lower(text[0]))) {
        return false;
    }
    return naive_match(pattern.substr(1), text.substr(1));
}

std::string any_value() {
    const auto number = [] { return std::to_string(*rc::gen::arbitrary<std::int64_t>()); };
    switch (*rc::gen::inRange(0, 6)) {
        case 0:
            return number();
        case 1:
            return std::to_string(t0_s + *rc::gen::inRange(-100, 100'000));
        case 2:
            return std::to_string((t0_s + *rc::gen::inRange(-100, 100'000)) * 1000);
        case 3:
            return date_text(*rc::gen::inRange<std::int64_t>(year_0, end_of_9999 + 1), any_form());
        case 4:
            return mutated(date_text(t0_s + 60, any_form()), 2, "0 :,-GMT");
        default:
            return any_bytes("0123456789 -.\t");
    }
}

std::string any_body() {
    const auto literal = [] {
        return *rc::gen::element<std::string>("-1003", "-1015", "10006", "\"10006\"", "0", "true",
                                              "{}", "[]", "\"banned until 1893456178000\"", "1e9",
                                              "\"SUCCESS\"", "1893456060000", "429", "418");
    };
    std::string body = "{";
    const auto members = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("code", "msg", "status", "retCode", "time", "error", "data"));
    for (const auto& name : members) {
        body += (body.size() > 1 ? ",\"" : "\"") + name + "\":" + literal();
    }
    body += "}";
    if (*rc::gen::arbitrary<bool>()) return body;
    return mutated(body, *rc::gen::inRange(1, 5), "{}[]\",:0e\\u");
}

struct AnyReply {
    int status;
    std::vector<std::pair<std::string, std::string>> lines;
    std::string body;
    std::string operation;
    std::int64_t utc_ns;
    bool is_whole;

    venue::Reading read_by(const venue::Profile& profile) const {
        Exchange exchange{.status = status, .body = body, .operation = operation};
        for (const auto& [name, value] : lines) exchange.headers.push_back({name, value});
        exchange.utc_ns = utc_ns;
        exchange.is_whole = is_whole;
        return read(profile, exchange);
    }
};

AnyReply any_reply() {
    AnyReply reply;
    reply.status =
        *rc::gen::oneOf(rc::gen::element(0, 200, 400, 401, 403, 408, 409, 418, 425, 429, 500, 503),
                        rc::gen::arbitrary<int>());
    const int count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < count; ++i) {
        reply.lines.emplace_back(
            *rc::gen::element<std::string>("Retry-After", "Date", "x-mbx-used-weight-1m",
                                           "X-Bapi-Limit-Reset-Timestamp", "X-Bapi-Limit-Status"),
            any_value());
    }
    reply.body = any_body();
    reply.operation =
        *rc::gen::element<std::string>("", "ping", "order", "cancel", "create", "get", "post");
    reply.utc_ns =
        *rc::gen::oneOf(rc::gen::just(t0_s * second), rc::gen::arbitrary<std::int64_t>());
    reply.is_whole = *rc::gen::inRange(0, 4) != 0;
    return reply;
}

const venue::Profile& any_profile() {
    const auto which = *rc::gen::inRange(0, 3);
    return which == 0 ? binance() : which == 1 ? bybit() : plain();
}

}  // namespace

TEST_CASE("property: every second of ten thousand years is read back from its three forms") {
    CHECK(rc::check("round trip", [] {
        const auto epoch = *rc::gen::inRange(year_0, end_of_9999 + 1);
        RC_ASSERT(venue::parse_http_date(date_text(epoch, DateForm::imf), 0) == epoch);
        RC_ASSERT(venue::parse_http_date(date_text(epoch, DateForm::asctime), 0) == epoch);
        const auto years = *rc::gen::inRange<std::int64_t>(-49, 50);
        const auto now = epoch + years * 365 * 86'400;
        const bool is_of_a_clock = now > year_0 + century && now < end_of_9999 - century;
        const auto short_form = venue::parse_http_date(date_text(epoch, DateForm::rfc850), now);
        RC_ASSERT(short_form.has_value());
        RC_ASSERT((!is_of_a_clock || *short_form == epoch));
    }));
}

TEST_CASE("property: what is read as a date would be written the same") {
    int read = 0;
    CHECK(rc::check("only the grammar", [&] {
        const auto epoch = *rc::gen::inRange(year_0, end_of_9999 + 1);
        auto text = with_other_digits(date_text(epoch, any_form()), *rc::gen::inRange(0, 8));
        text = mutated(text, *rc::gen::inRange(0, 2), "0123456789 ,:-GMTSunJanFebday\xff\0+");
        const auto read_back = venue::parse_http_date(text, epoch);
        // Second 60 is written as the next minute.
        if (!read_back || text.find(":60") != std::string::npos) return;
        ++read;
        bool is_same = false;
        for (const auto each : {DateForm::imf, DateForm::rfc850, DateForm::asctime}) {
            is_same = is_same || canonical(date_text(*read_back, each)) == canonical(text);
        }
        RC_ASSERT(is_same);
    }));
    CHECK(read > 0);
}

TEST_CASE("property: a number of seconds is read as it is written, with blanks around it") {
    CHECK(rc::check("round trip", [] {
        const auto seconds = *rc::gen::inRange<std::int64_t>(1, venue::wait_s_max + 1);
        const auto blanks = rc::gen::container<std::string>(rc::gen::element(' ', '\t'));
        const auto text = *blanks + std::to_string(seconds) + *blanks;
        RC_ASSERT(venue::parse_retry_after(text, t0_s) == seconds);
    }));
}

TEST_CASE("property: whatever a Retry-After says, it is nothing or a positive wait") {
    CHECK(rc::check("any bytes", [] {
        const auto text = any_bytes("0123456789 -.GMTSun,:\t");
        const auto now = *rc::gen::arbitrary<std::int64_t>();
        const auto wait = venue::parse_retry_after(text, now);
        RC_ASSERT(wait.value_or(1) >= 1);
        RC_ASSERT(wait.value_or(1) <= venue::wait_s_max);
    }));
}

TEST_CASE("property: no reply makes a wait that is negative, endless or missing") {
    CHECK(rc::check("any reply", [] {
        const auto reply = any_reply();
        const auto& profile = any_profile();
        const auto reading = reply.read_by(profile);
        RC_ASSERT(reading.wait_ns >= 0);
        RC_ASSERT(reading.wait_ns <= profile.longest_wait.count());
        const bool stops = reading.action == Action::pause || reading.action == Action::ban;
        RC_ASSERT(stops == (reading.scope != Scope::request));
        RC_ASSERT(stops <= (reading.wait_ns > 0));
        RC_ASSERT((reading.scope == Scope::key) == !reading.per.empty());
        for (const auto& count : reading.counts.all())
            RC_ASSERT(count.limit < profile.limits.size());
        const auto again = reply.read_by(profile);
        RC_ASSERT(again.action == reading.action);
        RC_ASSERT(again.wait_ns == reading.wait_ns);
        RC_ASSERT(again.counts.size == reading.counts.size);
    }));
}

TEST_CASE("property: 429 and 418 stop somebody whatever else the reply says") {
    CHECK(rc::check("any reply", [] {
        auto reply = any_reply();
        reply.status = *rc::gen::element(429, 418);
        const auto& profile = *rc::gen::element(&binance(), &plain());
        const auto reading = reply.read_by(*profile);
        RC_ASSERT(reading.action == (reply.status == 429 ? Action::pause : Action::ban));
        RC_ASSERT(reading.wait_ns > 0);
    }));
}

TEST_CASE("property: an order's fate is never called good where its reply was cut off") {
    CHECK(rc::check("any reply", [] {
        auto reply = any_reply();
        reply.is_whole = false;
        reply.operation = *rc::gen::element<std::string>("order", "cancel", "create", "post", "");
        RC_ASSERT(reply.read_by(any_profile()).action != Action::ok);
    }));
}

TEST_CASE("property: one more Retry-After never shortens a ban that takes the longest") {
    CHECK(rc::check("any reply", [] {
        auto reply = any_reply();
        reply.status = 418;
        reply.lines.emplace_back("Retry-After", std::to_string(*rc::gen::inRange(1, 1'000'000)));
        const auto before = reply.read_by(binance());
        reply.lines.emplace_back("retry-after", any_value());
        const auto after = reply.read_by(binance());
        RC_ASSERT(before.source != WaitSource::fallback);
        RC_ASSERT(after.wait_ns >= before.wait_ns);
    }));
}

TEST_CASE("property: a pattern matches what the plain definition matches") {
    CHECK(rc::check("naive", [] {
        const auto small = [](const std::string& letters, int longest) {
            return *rc::gen::resize(longest,
                                    rc::gen::container<std::string>(rc::gen::elementOf(letters)));
        };
        const auto pattern = small("aAb*?", 8);
        const auto text = small("abB", 12);
        RC_ASSERT(venue::Pattern(pattern).matches(text) == naive_match(pattern, text));
    }));
}

TEST_CASE("property: every duration is read back as it was written") {
    CHECK(rc::check("round trip", [] {
        const auto ns =
            *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
        const std::chrono::nanoseconds duration{ns >> *rc::gen::inRange(0, 63)};
        RC_ASSERT(venue::parse_duration(venue::format_duration(duration)) == duration);
    }));
}

TEST_CASE("property: no cost is above what check believes the largest") {
    CHECK(rc::check("C2", [] {
        venue::CostRule rule;
        rule.kind = *rc::gen::element(venue::CostRule::Kind::steps, venue::CostRule::Kind::linear,
                                      venue::CostRule::Kind::present);
        rule.parameter = "n";
        const auto units = [] { return *rc::gen::inRange<std::uint64_t>(0, venue::units_max + 1); };
        rule.units = units();
        std::uint64_t up_to = 0;
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
            up_to += *rc::gen::inRange<std::uint64_t>(1, 1000);
            rule.steps.push_back({up_to, units()});
        }
        rule.base = units() >> *rc::gen::inRange(0, 31);
        rule.each = units() >> *rc::gen::inRange(0, 31);
        rule.divide = 1 + (units() >> *rc::gen::inRange(0, 31));
        rule.rounds_down = *rc::gen::arbitrary<bool>();
        if (*rc::gen::arbitrary<bool>()) rule.most = 1 + units() / 2;
        if (*rc::gen::arbitrary<bool>()) rule.value_max = 1 + units();
        if (*rc::gen::arbitrary<bool>()) rule.cost_if_absent = units();
        RC_PRE(venue::is_bounded(rule));
        const auto value = *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                                           rc::gen::inRange<std::uint64_t>(0, 5000));
        const Argument argument{"n", value};
        const auto given = venue::evaluate(rule, {&argument, 1});
        const auto absent = venue::evaluate(rule, {});
        RC_ASSERT(given.units <= venue::largest(rule));
        RC_ASSERT(absent.units <= venue::largest(rule));
    }));
}

TEST_CASE("property: a profile that is nearly right is read or refused with a line of it") {
    CHECK(rc::check("mutated", [] {
        const auto text = mutated(
            with_head("[limits.a]\nkind = \"fixed\"\nquota = 100\nwindow = \"1m\"\n"
                      "[operations.x]\nintent = \"read\"\ncost.a = { parameter = \"n\", "
                      "steps = [[1, 2], [3, 4]], absent = 2 }\n[[feedback]]\nlimit = \"a\"\n"
                      "header = \"h\"\nmeans = \"used\"\n[[signals]]\nname = \"s\"\nstatus = 429\n"
                      "body = \"/a/*/b\"\nequals = [1, \"x\", true]\naction = \"pause\"\n"
                      "wait = [{ from = \"retry-after\" }, { from = \"fixed\", wait = \"1s\" }]\n"),
            *rc::gen::inRange(1, 6), "=[]{}\"'\n.,#0a-\\ \t");
        venue::Findings findings;
        const auto profile = venue::read_profile({"f", text}, nullptr, findings);
        RC_ASSERT(profile.has_value() == findings.empty());
        const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
        for (const auto& finding : findings.list()) {
            RC_ASSERT(finding.line <= lines);
            RC_ASSERT(finding.text().find('\n') == std::string::npos);
        }
    }));
}
