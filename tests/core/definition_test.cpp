// SPDX-License-Identifier: Apache-2.0
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

/// What to_record says about a definition; empty if it keeps it.
std::string refused(const LimitDefinition& definition) {
    const auto made = to_record(definition);
    const auto* error = std::get_if<DefinitionError>(&made);
    if (error != nullptr) return error->message;
    const LimitRecord record = std::get<LimitRecord>(made);
    REQUIRE(valid(record));
    REQUIRE(record_of(to_definition(record)) == record);
    return "";
}

LimitDefinition fixed(std::uint64_t quota = 10, std::int64_t window = 10 * s) {
    return limit(LimitKind::fixed, quota, window);
}

}  // namespace

TEST_CASE("a definition that cannot be kept is refused, naming the value") {
    using Catch::Matchers::Contains;
    LimitDefinition d = fixed(0);
    REQUIRE_THAT(refused(d), Contains("quota is 0"));
    d = fixed(10, 0);
    REQUIRE_THAT(refused(d), Contains("window is 0ns"));
    d = fixed(10, -s);
    REQUIRE_THAT(refused(d), Contains("window is -1s"));
    d = fixed(10, year_ns + 1);
    REQUIRE_THAT(refused(d), Contains("longer than a year"));
    d = fixed(std::uint64_t{1} << 32);
    REQUIRE_THAT(refused(d), Contains("quota 4294967296"));
    d = limit(LimitKind::rolling, 10, s, 11);
    REQUIRE_THAT(refused(d), Contains("burst 11"));
    d = limit(LimitKind::fixed, 10, 500 * ms);
    REQUIRE_THAT(refused(d), Contains("slack 250ms"));
    d = limit(LimitKind::rolling, 10, s, 1, 4 * ms);
    REQUIRE_THAT(refused(d), Contains("slack 4ms"));
    d = limit(LimitKind::bucket, 10, s, 2);
    REQUIRE_THAT(refused(d), Contains("slack 250ms") && Contains("burst 2"));
    d = limit(LimitKind::spacing, 2, s);
    REQUIRE_THAT(refused(d), Contains("spacing"));
    d = limit(LimitKind::rolling, 10, s);
    d.spread = true;
    REQUIRE_THAT(refused(d), Contains("spread"));
    d = fixed();
    d.reserve_percent = 91;
    REQUIRE_THAT(refused(d), Contains("91%"));
    d = fixed();
    d.largest_cost = 11;
    REQUIRE_THAT(refused(d), Contains("11"));
    d = fixed();
    d.largest_cost = 0;
    REQUIRE_THAT(refused(d), Contains("largest cost 0"));
    d = limit(LimitKind::bucket, 1, year_ns, 100);
    REQUIRE_THAT(refused(d), Contains("burst 100"));
    d = fixed();
    d.name = "Weight";
    REQUIRE_THAT(refused(d), Contains("'Weight'"));
    d.name = std::string(32, 'a');
    REQUIRE_THAT(refused(d), Contains("31 characters"));
    d = fixed();
    d.per = "an account";
    REQUIRE_THAT(refused(d), Contains("an account"));
}

TEST_CASE("a reserve that starves a lane is refused") {
    LimitDefinition d = fixed(1);
    d.reserve_percent = 10;
    REQUIRE(refused(d) != "");
    d = limit(LimitKind::bucket, 10, s, 10);
    d.reserve_percent = 10;  // one unit of ten: less than the slack
    REQUIRE(refused(d) != "");
    d = fixed(2);
    d.reserve_percent = 10;
    REQUIRE(refused(d) == "");
}

TEST_CASE("every kind has a default burst that fits its largest cost") {
    const auto burst = [](LimitDefinition d, std::uint64_t largest) {
        d.largest_cost = largest;
        return record_of(d).burst;
    };
    REQUIRE(burst(limit(LimitKind::rolling, 6000, 60 * s), 1) == 300);
    REQUIRE(burst(limit(LimitKind::rolling, 6000, 60 * s), 400) == 400);
    REQUIRE(burst(limit(LimitKind::rolling, 10, 60 * s), 1) == 1);
    REQUIRE(burst(limit(LimitKind::fixed, 6000, 60 * s), 1) == 60);
    REQUIRE(burst(limit(LimitKind::fixed, 50, 60 * s), 1) == 1);
    REQUIRE(burst(limit(LimitKind::bucket, 600, 60 * s), 1) == 600);
    REQUIRE(burst(limit(LimitKind::spacing, 1, 60 * s), 1) == 1);
}

TEST_CASE("every kept definition grants its largest cost and refuses one unit more") {
    for (const auto kind : {LimitKind::bucket, LimitKind::rolling, LimitKind::fixed}) {
        for (const std::uint64_t quota : {3u, 7u, 100u, 99991u}) {
            for (const std::int64_t window : {s, 7 * s, 60 * s, 86400 * s}) {
                const std::uint64_t burst = kind == LimitKind::bucket ? quota / 2 + 2 : 3;
                const LimitRecord record = record_of(limit(kind, quota, window, burst, 6 * ms));
                const auto most = static_cast<std::uint32_t>(compile(record).lane[0].largest);
                ScratchBudget budget({record});
                const Instant t = 10 * 86400 * s + 3 * s / 2;
                INFO(static_cast<int>(kind) << ' ' << quota << ' ' << window);
                REQUIRE(budget.ask({{0, most + 1}}, t).verdict == Verdict::too_large);
                const Answer answer = budget.ask({{0, most}}, t);
                REQUIRE(answer.verdict == Verdict::granted);
            }
        }
    }
}

TEST_CASE("the sustained rate is what results, in thousandths") {
    const auto rate = [](const LimitDefinition& d) {
        return sustained_per_second_milli(compile(record_of(d)));
    };
    REQUIRE(rate(limit(LimitKind::fixed, 6000, 60 * s)) == 100'000);
    REQUIRE(rate(limit(LimitKind::bucket, 10, s, 20)) == 10'000);
    REQUIRE(rate(limit(LimitKind::rolling, 10, 9750 * ms, 1)) == 1'000);
    REQUIRE(rate(limit(LimitKind::rolling, 10, 9750 * ms, 6)) == 500);
}
