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
        // RC_ASSERT evaluates both sides of ||, so each answer is one word by then.
        const auto is_fair = [](const auto& read) {
            if (read) return true;
            const auto& message = read.error().message;
            return !message.empty() && message.find('\n') == std::string::npos;
        };
        RC_ASSERT(is_fair(parse_duration("d", text)));
        RC_ASSERT(is_fair(parse_limit(text)));
        RC_ASSERT(is_fair(parse_cost_item(text)));
        RC_ASSERT(is_fair(parse_instant("i", text)));
    }));
}
