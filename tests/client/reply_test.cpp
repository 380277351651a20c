// SPDX-License-Identifier: Apache-2.0
//
// What a reply does for every process: by a profile that says a little of everything.
#include <algorithm>

#include "client/scene.hpp"
#include "support/profile_text.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

const std::string venue_text = with_head(R"(
[limits.weight]
kind = "fixed"
quota = 100
window = "1m"

[limits.orders]
kind = "rolling"
quota = 20
burst = 5
window = "10s"
per = "account"

[operations.depth]
intent = "read"
cost.weight = { parameter = "limit", default = 5, steps = [[100, 5], [5000, 50]] }

[operations.order]
intent = "open"
cost.weight = 10
cost.orders = 1
charge.ok = { weight = 0 }

[operations.cancel]
intent = "close"
lane = "critical"
cost.weight = 1

[[feedback]]
limit = "weight"
header = "x-used-weight"
means = "used"

[[feedback]]
limit = "orders"
header = "x-orders-left"
means = "remaining"

[[signals]]
name = "account-too-fast"
status = 429
body = "/code"
equals = [-1015]
action = "pause"
scope = "key"
per = "account"
wait = [{ from = "retry-after" }]

[[signals]]
name = "not-counted"
status = 503
body = "/code"
equals = [-1008]
action = "overload"
charged = false
)");

struct Venue {
    Scene scene;
    Budget budget = make();

    Budget make() {
        auto opened = client::Opening::open("budget", must(Profile::parse(venue_text, "test.toml")),
                                            {.label = "test", .full = true}, scene.clock);
        return must(std::move(opened));
    }
    Permit permit(std::string_view operation, std::string_view account = "main") {
        const auto cost = must(
            budget.operation(operation, {}, std::initializer_list<KeyName>{{"account", account}}));
        auto decision = must(budget.try_acquire(cost));
        INFO(name_of(decision.refusal()));
        REQUIRE(decision);
        return std::move(decision.permit());
    }
    Advice hear(Permit& permit, int status, std::initializer_list<Header> headers = {},
                std::string_view body = {}) {
        return must(budget.observe(
            permit,
            {.status = status, .headers = {headers.begin(), headers.size()}, .body = body}));
    }
    std::uint64_t used(std::size_t limit = 0) {
        return must(budget.snapshot()).limits.at(limit).cells.at(0).lanes.at(0).used;
    }
    Refusal asked(std::string_view operation, std::string_view account = "main") {
        const auto cost = must(
            budget.operation(operation, {}, std::initializer_list<KeyName>{{"account", account}}));
        return must(budget.try_acquire(cost)).refusal();
    }
};

}  // namespace

TEST_CASE("an operation brings its cost, its lane and its intent") {
    Venue venue;
    auto deep = must(venue.budget.operation("depth", {{"limit", 5000}}));
    CHECK(must(venue.budget.try_acquire(deep)));
    CHECK(venue.used() == 50);
    const auto cancel = must(venue.budget.operation("cancel"));
    CHECK(cancel.lane() == Lane::critical);
    CHECK(cancel.intent() == Intent::close);
    CHECK(venue.budget.operation("deph").error().code == ErrorCode::unknown_name);
    CHECK_THAT(venue.budget.operation("order").error().message,
               Catch::Contains("name the account"));
    CHECK(venue.budget.operation("depth", {{"limt", 5}}).error().code == ErrorCode::unknown_name);
}

TEST_CASE("without a profile there are no operations and nothing reads a reply") {
    Scene scene;
    auto budget = scene.open({fixed("weight", 10)});
    CHECK(budget.profile() == nullptr);
    CHECK(budget.operation("depth").error().code == ErrorCode::invalid_argument);
    auto decision = must(budget.try_acquire(must(budget.cost({{"weight", 1}}))));
    CHECK(budget.observe(decision.permit(), Reply{.status = 200}).error().code ==
          ErrorCode::invalid_argument);
}

TEST_CASE("a 429 stops every process for as long as it says, from when it was received") {
    Venue venue;
    auto permit = venue.permit("depth");
    const auto advice = venue.hear(permit, 429, {{"Retry-After", "7"}});
    CHECK(advice.action == Action::pause);
    CHECK(advice.scope == Scope::address);
    CHECK(advice.source == WaitSource::retry_after);
    CHECK(advice.until == venue.scene.now() + 7s);
    CHECK(permit.id() == 0);
    auto other = must(client::Opening::open("budget", must(Profile::parse(venue_text, "t.toml")),
                                            {.label = "other"}, venue.scene.clock));
    auto decision = must(other.try_acquire(must(other.operation("cancel"))));
    CHECK(decision.refusal() == Refusal::paused);
    CHECK(decision.resume_after() == advice.until);
}

TEST_CASE("an account's 429 stops that account alone") {
    Venue venue;
    auto permit = venue.permit("order", "main");
    const auto advice =
        venue.hear(permit, 429, {{"Retry-After", "9"}}, R"({"code":-1015,"msg":"too many"})");
    CHECK(advice.scope == Scope::key);
    CHECK(advice.signal == "account-too-fast");
    CHECK(venue.asked("order", "main") == Refusal::paused);
    CHECK(venue.asked("order", "hedge") == Refusal::none);
    CHECK(venue.asked("depth") == Refusal::none);
    // A request that draws on no account cannot say whose it was: all stop rather than none.
    auto read = venue.permit("depth");
    const auto unnamed = venue.hear(read, 429, {{"Retry-After", "3"}}, R"({"code":-1015})");
    CHECK(unnamed.scope == Scope::address);
    CHECK(venue.asked("depth") == Refusal::paused);
}

TEST_CASE("a 418 is a ban that outlives the process, and its probe opens the budget") {
    Venue venue;
    auto permit = venue.permit("depth");
    const auto advice = venue.hear(permit, 418, {{"Retry-After", "172"}});
    CHECK(advice.action == Action::ban);
    auto snapshot = must(venue.budget.snapshot());
    CHECK(snapshot.state == BudgetState::banned);
    CHECK(snapshot.stops_saved);
    venue.scene.advance(172s);
    auto probe = venue.permit("depth");
    REQUIRE(probe.is_probe());
    CHECK(venue.asked("depth") != Refusal::none);
    CHECK(venue.hear(probe, 200).action == Action::ok);
    CHECK_FALSE(must(venue.budget.snapshot()).probe_required);
}

TEST_CASE("a ban without a number lasts longer each time it follows another") {
    Venue venue;
    auto permit = venue.permit("depth");
    auto advice = venue.hear(permit, 418);
    CHECK(advice.source == WaitSource::fallback);
    CHECK(advice.until == venue.scene.now() + 120s);
    venue.scene.advance(120s);
    auto probe = venue.permit("depth");
    REQUIRE(probe.is_probe());
    advice = venue.hear(probe, 418);
    CHECK(advice.until == venue.scene.now() + 240s);
}

TEST_CASE("what the venue counted beyond our own is drawn by others, for everybody") {
    Venue venue;
    auto permit = venue.permit("depth");
    CHECK(venue.used() == 5);
    venue.hear(permit, 200, {{"X-Used-Weight", "65"}});
    CHECK(venue.used() == 65);
    // An older count changes nothing.
    auto later = venue.permit("depth");
    venue.hear(later, 200, {{"X-Used-Weight", "65"}});
    CHECK(venue.used() == 70);
    auto odd = venue.permit("depth");
    venue.hear(odd, 200, {{"X-Used-Weight", "-1"}});
    CHECK(venue.used() == 75);
}

TEST_CASE(
    "outside use is told when it is first seen and when it has doubled, not with each reply") {
    Venue venue;
    for (int others = 0; others < 12; ++others) {
        auto permit = venue.permit("depth");
        const std::string count = std::to_string(venue.used() + 1);
        venue.hear(permit, 200, {{"X-Used-Weight", count}});
    }
    std::vector<std::string> told;
    for (const auto& entry : must(read_journal("budget", 200))) {
        if (entry.kind == "outside_use") told.push_back(entry.text);
    }
    REQUIRE(told.size() == 4);
    CHECK(told.front() == "weight: 1 units drawn by others");
    CHECK(told.back() == "weight: 8 units drawn by others");
}

TEST_CASE("what the venue did not charge comes back, once, while the window runs") {
    Venue venue;
    auto order = venue.permit("order");
    CHECK(venue.used() == 10);
    CHECK(venue.hear(order, 200, {}, R"({"orderId":1})").refunded == 10);
    CHECK(venue.used() == 0);
    auto refused = venue.permit("order");
    CHECK(venue.hear(refused, 400, {}, R"({"code":-2010})").refunded == 0);
    CHECK(venue.used() == 10);
    auto busy = venue.permit("depth");
    CHECK(venue.hear(busy, 503, {}, R"({"code":-1008})").refunded == 5);
    CHECK(venue.used() == 10);
    auto late = venue.permit("order");
    venue.scene.advance(1min);
    CHECK(venue.hear(late, 200, {}, R"({"orderId":2})").refunded == 0);
}

TEST_CASE("replies that come later than their permit allowed are counted") {
    Venue venue;
    auto permit = venue.permit("order");
    venue.hear(permit, 200, {}, "{}");
    auto slow = venue.permit("order", "hedge");
    venue.scene.advance(40s);
    venue.scene.advance(30s);
    venue.hear(slow, 200, {}, "{}");
    const auto client = must(venue.budget.snapshot()).clients.at(0);
    CHECK(client.replies == 2);
    CHECK(client.late_replies == 1);
}

TEST_CASE("the journal says once that replies come later than the slack: p99 of a hundred") {
    Venue venue;
    const auto cancel = must(venue.budget.operation("cancel"));
    const auto hear_a_hundred = [&](int late) {
        for (int i = 0; i < 100; ++i) {
            auto decision = must(venue.budget.try_acquire(cancel));
            REQUIRE(decision);
            if (i < late) venue.scene.advance(70s);
            venue.hear(decision.permit(), 200, {}, "{}");
        }
        venue.scene.advance(70s);
    };
    const auto warnings = [&] {
        const auto entries = must(read_journal("budget", 256));
        return std::count_if(entries.begin(), entries.end(),
                             [](const auto& entry) { return entry.kind == "slow_replies"; });
    };
    hear_a_hundred(1);
    CHECK(warnings() == 0);
    hear_a_hundred(2);
    CHECK(warnings() == 1);
    hear_a_hundred(3);
    CHECK(warnings() == 1);
    hear_a_hundred(0);
    hear_a_hundred(2);
    CHECK(warnings() == 2);
}
