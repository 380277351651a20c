// SPDX-License-Identifier: Apache-2.0
#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("a cost that cannot be is refused where it is written, with the value and the reason") {
    Scene scene;
    std::vector<LimitDefinition> limits = {fixed("weight", 100), rolling("orders", 10, 4),
                                           per_account(fixed("trades", 5))};
    for (int i = 0; i < 6; ++i) limits.push_back(fixed("more-" + std::to_string(i), 5));
    auto budget = scene.open(limits);

    const auto error_of = [&](std::vector<CostItem> items) { return budget.cost(items).error(); };
    const auto unknown = error_of({{"wieght", 1}});
    CHECK(unknown.code == ErrorCode::unknown_name);
    CHECK_THAT(unknown.message, Catch::Matchers::Contains("'wieght'"));
    CHECK_THAT(unknown.hint, Catch::Matchers::Contains("weight, orders, trades"));

    struct Row {
        std::vector<CostItem> items;
        std::string named;
    };
    const std::vector<Row> rows = {{{}, "not 0"},
                                   {{{"weight", 0}}, "0 units"},
                                   {{{"weight", 101}}, "101 units can never fit; at most 100"},
                                   {{{"weight", ~std::uint64_t{0}}}, "can never fit"},
                                   {{{"orders", 5}}, "at most 4"},
                                   {{{"weight", 1}, {"weight", 2}}, "named twice"},
                                   {{{"trades", 1}}, "counted per account: name the key"},
                                   {{{"weight", 1, "main"}}, "not keyed"},
                                   {{{"trades", 1, "main"}, {"trades", 2, "main"}}, "named twice"},
                                   {{{"weight"},
                                     {"orders"},
                                     {"trades", 1, "a"},
                                     {"more-0"},
                                     {"more-1"},
                                     {"more-2"},
                                     {"more-3"},
                                     {"more-4"},
                                     {"more-5"}},
                                    "not 9"}};
    for (const Row& row : rows) {
        const auto error = error_of(row.items);
        CHECK(error.code == ErrorCode::invalid_argument);
        CHECK_THAT(error.message, Catch::Matchers::Contains(row.named));
    }
    CHECK(budget.cost({{"trades", 1, "main"}, {"trades", 2, "other"}}).has_value());
}

TEST_CASE("a request gets all of its limits or nothing") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100), fixed("raw", 2)});
    auto both = must(budget.cost({{"weight", 10}, {"raw", 1}}));
    CHECK(drain(budget, both) == 2);
    auto weight = must(budget.cost({{"weight", 80}}));
    CHECK(must(budget.try_acquire(weight)));
}

TEST_CASE("each key of a keyed limit has its own units") {
    Scene scene;
    auto budget = scene.open({per_account(fixed("orders", 3)), fixed("weight", 100)});
    auto main = must(budget.cost({{"orders", 1, "main"}, {"weight", 1}}));
    auto other = must(budget.cost({{"orders", 1, "other"}, {"weight", 1}}));
    CHECK(drain(budget, main) == 3);
    CHECK(drain(budget, other) == 3);
    const auto snapshot = must(budget.snapshot());
    REQUIRE(snapshot.limits[0].cells.size() == 2);
    CHECK(snapshot.limits[0].cells[0].key == "main");
    CHECK(snapshot.limits[0].cells[1].key == "other");
}

TEST_CASE("more keys than there is room for are refused, until one is idle") {
    Scene scene;
    auto budget = scene.open({per_account(fixed("orders", 3))}, {.keys = 2, .full = true});
    CHECK(must(budget.try_acquire(must(budget.cost({{"orders", 1, "a"}})))));
    CHECK(must(budget.try_acquire(must(budget.cost({{"orders", 1, "b"}})))));
    auto third = must(budget.cost({{"orders", 1, "c"}}));
    CHECK(must(budget.try_acquire(third)).refusal() == Refusal::keys_full);
    scene.advance(2min);
    CHECK(must(budget.try_acquire(third)));
}

TEST_CASE("a cost that nobody made, or another budget did, is never charged to the wrong limit") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto other = must(Budget::open("other", {fixed("raw", 5)}));
    auto foreign = must(other.cost({{"raw", 1}}));
    for (const Cost& cost : {Cost{}, foreign}) {
        const auto refused = budget.try_acquire(cost);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK_FALSE(budget.acquire(cost, 1s).has_value());
        Reservation reservation;
        CHECK_FALSE(budget.reserve(cost, scene.now() + 1s, reservation).has_value());
    }
}

TEST_CASE("D08: a cost above the burst of its lane is too large at once, and names the item") {
    Scene scene;
    auto limit = fixed("weight", 100);
    limit.reserve_percent = 60;
    auto budget = scene.open({fixed("raw", 10), limit});
    auto cost = must(budget.cost({{"raw", 1}, {"weight", 50}}));
    const auto refused = must(budget.try_acquire(cost));
    CHECK(refused.refusal() == Refusal::too_large);
    CHECK(refused.which() == 1);
    CHECK(must(budget.acquire(cost, 1h)).refusal() == Refusal::too_large);
    CHECK(must(budget.try_acquire(cost.with(Lane::critical))));
}
