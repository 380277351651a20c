// SPDX-License-Identifier: Apache-2.0
//
// What an operation costs, by its arguments.
#include <string>

#include <ratecoord/profile.hpp>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

Profile priced(std::string_view cost) {
    auto profile = Profile::parse(
        with_head("[limits.weight]\nkind = \"fixed\"\nquota = 6000\nwindow = \"1m\"\n"
                  "[limits.raw]\nkind = \"fixed\"\nquota = 61000\nwindow = \"5m\"\n"
                  "per = \"account\"\n[operations.call]\nintent = \"read\"\n" +
                  std::string(cost)),
        "sample.toml");
    if (!profile) FAIL(profile.error().message);
    return std::move(*profile);
}

std::uint64_t weight(const Profile& profile, std::initializer_list<Argument> arguments = {}) {
    const auto costs = profile.cost("call", arguments);
    if (!costs) FAIL(costs.error().message);
    return costs->empty() ? 0 : costs->front().units;
}

}  // namespace

TEST_CASE("A10: depth costs by its limit, to the step") {
    const auto profile = priced(
        "cost.weight = { parameter = \"limit\", default = 100,"
        " steps = [[100, 5], [500, 25], [1000, 50], [5000, 250]] }\n");
    struct Row {
        std::uint64_t limit;
        std::uint64_t units;
    };
    const auto row = GENERATE(values<Row>({{0, 5},
                                           {1, 5},
                                           {100, 5},
                                           {101, 25},
                                           {500, 25},
                                           {501, 50},
                                           {1000, 50},
                                           {1001, 250},
                                           {5000, 250},
                                           {5001, 250}}));
    CHECK(weight(profile, {{"limit", row.limit}}) == row.units);
    CHECK(weight(profile) == 5);
    CHECK(profile.limits()[0].largest_cost == 250);
}

TEST_CASE("A10: a parameter that is not given is an error unless the profile says what it means") {
    const auto profile = priced("cost.weight = { parameter = \"n\", each = 4 }\n");
    const auto costs = profile.cost("call");
    REQUIRE_FALSE(costs);
    CHECK(costs.error().code == ErrorCode::invalid_argument);
    CHECK(costs.error().message == "the cost of 'call' depends on 'n', which is not given");
}

TEST_CASE("a line rounds up, or down where it says so, up to its most") {
    const auto half = priced("cost.weight = { parameter = \"n\", each = 1, divide = 2 }\n");
    CHECK(weight(half, {{"n", 3}}) == 2);
    const auto hyper = priced(
        "cost.weight = { parameter = \"n\", base = 1, each = 1, divide = 40, round = \"down\" }\n");
    CHECK(weight(hyper, {{"n", 39}}) == 1);
    CHECK(weight(hyper, {{"n", 85}}) == 3);
    const auto capped =
        priced("cost.weight = { parameter = \"symbols\", each = 4, most = 200, absent = 200 }\n");
    CHECK(weight(capped, {{"symbols", 1}}) == 4);
    CHECK(weight(capped, {{"symbols", 51}}) == 200);
    CHECK(weight(capped) == 200);
    const auto batch =
        priced("cost.weight = { parameter = \"n\", base = 9, each = 1, up_to = 20 }\n");
    CHECK(weight(batch, {{"n", 2}}) == 11);
    CHECK_FALSE(batch.cost("call", {{"n", 21}}));
    CHECK(batch.limits()[0].largest_cost == 29);
}

TEST_CASE("a huge argument saturates above every quota") {
    const auto profile =
        priced("cost.weight = { parameter = \"n\", each = 2147483648, default = 0 }\n");
    CHECK(weight(profile, {{"n", ~std::uint64_t{0}}}) == std::uint64_t{1} << 31);
}

TEST_CASE("presence alone may set the cost") {
    const auto profile =
        priced("cost.weight = { parameter = \"symbol\", present = 6, absent = 80 }\n");
    CHECK(weight(profile, {{"symbol"}}) == 6);
    CHECK(weight(profile) == 80);
}

TEST_CASE("a step may cost nothing, and is then not drawn") {
    const auto profile = priced(
        "cost.weight = { parameter = \"age\", steps = [[4, 8], [299, 1], [300, 0]], absent = 8 }\n"
        "cost.raw = 1\n");
    const auto old = profile.cost("call", {{"age", 300}});
    REQUIRE(old);
    REQUIRE(old->size() == 1);
    CHECK((*old)[0].limit == "raw");
    CHECK((*old)[0].per == "account");
    CHECK(weight(profile, {{"age", 3}}) == 8);
}

TEST_CASE("an argument the cost does not depend on is refused") {
    const auto profile =
        priced("cost.weight = { parameter = \"limit\", steps = [[100, 5]], default = 1 }\n");
    const auto wrong = profile.cost("call", {{"limti", 5000}});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::unknown_name);
    CHECK(wrong.error().message ==
          "the cost of 'call' does not depend on 'limti' (did you mean 'limit'?)");
    CHECK_FALSE(profile.cost("call", {{"limit", 1}, {"limit", 2}}));
}

TEST_CASE("an unknown operation is refused by name") {
    const auto profile = priced("cost.weight = 1\n");
    CHECK(profile.operation("call"));
    const auto wrong = profile.operation("cal");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message ==
          "profile 'sample' has no operation 'cal' (did you mean 'call'?)");
}
