// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <limits>

#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/instant.hpp"
#include "grammar/limit_text.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::grammar;
using std::chrono::nanoseconds;

TEST_CASE("property: every duration is read back as it was written") {
    CHECK(rc::check("round trip", [] {
        const auto ns =
            *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
        const auto scaled = ns >> *rc::gen::inRange(0, 63);
        RC_ASSERT(parse_duration("d", format_duration(nanoseconds{scaled})).value() ==
                  nanoseconds{scaled});
    }));
}

TEST_CASE("property: every limit is read back as it was written") {
    CHECK(rc::check("round trip", [] {
        LimitDefinition limit;
        limit.name = *rc::gen::nonEmpty(
            rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcxyz0189_.-"))));
        limit.kind = *rc::gen::element(LimitKind::bucket, LimitKind::rolling, LimitKind::fixed,
                                       LimitKind::spacing);
        limit.quota = *rc::gen::arbitrary<std::uint64_t>();
        limit.window = nanoseconds{*rc::gen::positive<std::int64_t>()};
        limit.burst = *rc::gen::arbitrary<std::uint64_t>();
        limit.slack = nanoseconds{*rc::gen::nonNegative<std::int64_t>()};
        limit.per = *rc::gen::element<std::string>("", "account", "ip");
        limit.reserve_percent = *rc::gen::inRange<std::uint32_t>(0, 101);
        limit.spread = *rc::gen::arbitrary<bool>();
        limit.largest_cost = *rc::gen::positive<std::uint64_t>();
        RC_ASSERT(parse_limit(format_limit(limit)).value() == limit);
    }));
}

TEST_CASE("property: no text breaks a parser, and a refusal is one line") {
    CHECK(rc::check("any bytes", [] {
        const auto text = *rc::gen::oneOf(
            rc::gen::arbitrary<std::string>(),
            rc::gen::container<std::string>(rc::gen::elementOf(std::string("w=6/1ms,kind.%:-TZ"))));
        const auto is_line = [](const std::string& message) {
            return !message.empty() && message.find('\n') == std::string::npos;
        };
        const auto duration = parse_duration("d", text);
        const auto limit = parse_limit(text);
        const auto cost = parse_cost_item(text);
        const auto instant = parse_instant("i", text);
        RC_ASSERT(duration || is_line(duration.error().message));
        RC_ASSERT(limit || is_line(limit.error().message));
        RC_ASSERT(cost || is_line(cost.error().message));
        RC_ASSERT(instant || is_line(instant.error().message));
    }));
}
