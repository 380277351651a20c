// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "client/scene.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("open creates what is not there and attaches to what is") {
    Scene scene;
    auto first = scene.open({fixed("weight", 100)});
    auto second = scene.open({fixed("weight", 100)});
    CHECK(first.conflicts().empty());
    CHECK(second.conflicts().empty());
    auto cost = must(first.cost({{"weight", 60}}));
    CHECK(must(first.try_acquire(cost)));
    CHECK_FALSE(must(second.try_acquire(cost)));
    const auto snapshot = must(second.snapshot());
    CHECK(snapshot.clients.size() == 2);
    CHECK(snapshot.full_start);
}

TEST_CASE("open with must_exist, attach and create say what is there and what is not") {
    Scene scene;
    const std::vector definitions = {fixed("weight", 100)};
    CHECK(scene.try_open(definitions, {.must_exist = true}).error().code ==
          ErrorCode::no_such_budget);
    CHECK(Budget::attach("budget").error().code == ErrorCode::no_such_budget);
    CHECK(must(list_budgets()).empty());
    {
        auto created = must(Budget::create("budget", definitions));
        CHECK(created.name() == "budget");
        CHECK(Budget::create("budget", definitions).error().code == ErrorCode::already_exists);
    }
    auto attached = must(Budget::attach("budget"));
    CHECK(attached.cost({{"weight", 1}}).has_value());
    const auto listed = must(list_budgets());
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].name == "budget");
    CHECK(listed[0].problem.empty());
}

TEST_CASE("a definition that differs is reported with both values and not applied") {
    Scene scene;
    auto first = scene.open({fixed("weight", 100)});
    auto second = scene.open({fixed("weight", 200), fixed("raw", 5)});
    REQUIRE(second.conflicts().size() == 2);
    CHECK(second.conflicts()[0].find("100 per 1m") != std::string::npos);
    CHECK(second.conflicts()[0].find("200 per 1m") != std::string::npos);
    CHECK(second.conflicts()[1].find("'raw'") != std::string::npos);
    CHECK(must(first.snapshot()).limits.at(0).definition.quota == 100);
    CHECK(must(second.snapshot()).limits.size() == 1);
}

TEST_CASE("what cannot be kept is refused where it is written, and leaves nothing behind") {
    Scene scene;
    struct Row {
        std::vector<LimitDefinition> definitions;
        std::string named;
    };
    auto slow = fixed("weight", 100);
    slow.slack = 31s;
    const std::vector<Row> rows = {{{}, "at least one limit"},
                                   {{fixed("weight", 0)}, "weight"},
                                   {{fixed("weight", 1, 0s)}, "weight"},
                                   {{fixed("weight", 1, 367 * 24h)}, "weight"},
                                   {{fixed("Weight!", 1)}, "Weight!"},
                                   {{slow}, "weight"},
                                   {{rolling("orders", 10, 11)}, "orders"},
                                   {{fixed("a", 1), fixed("a", 2)}, "twice"}};
    for (const Row& row : rows) {
        const auto refused = scene.try_open(row.definitions);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK_THAT(refused.error().message, Catch::Matchers::Contains(row.named));
    }
    CHECK(scene.directory.entries() == 0);
    CHECK(scene.try_open({fixed("weight", 1)}, {.group = "no-such-group"}).error().code ==
          ErrorCode::invalid_argument);
    for (const char* name : {"", "..", "a/b", ".hidden"}) {
        CHECK_FALSE(Budget::open(name, {fixed("weight", 1)}).has_value());
    }
}

TEST_CASE("destroy: whoever is attached is told, and nothing is made anew behind the operator") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)});
    auto cost = must(budget.cost({{"weight", 1}}));
    CHECK(destroy("absent").error().code == ErrorCode::no_such_budget);
    must(destroy("budget"));
    const auto told = budget.try_acquire(cost);
    REQUIRE_FALSE(told);
    CHECK(told.error().code == ErrorCode::detached);
    CHECK_THAT(told.error().message, Catch::Matchers::Contains("was destroyed"));
    CHECK_FALSE(std::filesystem::exists(scene.file()));
    CHECK(budget.acquire(cost, 1s).error().code == ErrorCode::detached);
}

TEST_CASE("a new budget is cold: nothing that could meet units drawn before it (H1, A04)") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 100)}, {});
    auto cost = must(budget.cost({{"weight", 1}}));
    const auto refused = must(budget.try_acquire(cost));
    CHECK(refused.refusal() == Refusal::not_yet);
    // The minute that runs is spent; the next one opens after its slack.
    CHECK(refused.retry_at() - scene.now() == 59s + 250ms);
    CHECK(must(budget.snapshot()).state == BudgetState::cold);
    scene.advance_to(refused.retry_at());
    CHECK(drain(budget, cost) == 100);
}

TEST_CASE("C14, full client table: the next client is told, and one that goes makes room") {
    Scene scene;
    std::vector<Budget> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(scene.open({fixed("weight", 100)}, {.clients = 3, .full = true}));
    }
    CHECK(scene.try_open({fixed("weight", 100)}).error().code == ErrorCode::segment_full);
    // Looking needs no slot.
    CHECK(must(read_snapshot("budget")).clients.size() == 3);
    clients.pop_back();
    scene.advance(3s);  // a slot rests
    CHECK(scene.try_open({fixed("weight", 100)}).has_value());
}
