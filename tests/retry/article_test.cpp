// SPDX-License-Identifier: Apache-2.0
//
// Each line that the test program of "Exponential backoff with jitter in Python: tested retries"
// prints, against this library.
#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

const Backoff article_backoff{.jitter = Jitter::full, .base = 50ms, .cap = 500ms};

}  // namespace

TEST_CASE(
    "article, '429 then 503': 3 calls, the second not before Retry-After, with jitter on top") {
    Stage stage;
    auto port = stage.port();
    Script time(port, {{429, "", "1"}, {503}, {200, "{}"}});
    const BootTime start = stage.now();
    const auto result =
        retry::call(port, cost_of(port), {.attempts = 5, .backoff = article_backoff}, time);
    CHECK(result.state == CallState::done);
    CHECK(result.sends == 3);
    REQUIRE(time.sent.size() == 3);
    CHECK(time.sent[0] == start);
    CHECK(time.sent[1] > start + 1s);
    CHECK(time.sent[1] <= start + 1s + 50ms + 250ms);  // jitter, then the budget's own pace
    CHECK(stage.since(start) < 2s);
    CHECK(result.reply.body == "{}");
}

TEST_CASE(
    "article, 'Retry-After 86400': every worker is stopped for it, and this call ends at once") {
    Stage stage;
    auto port = stage.port();
    auto other = stage.port();
    Script time(port, {{429, "", "86400"}});
    const BootTime start = stage.now();
    const auto result = retry::call(port, cost_of(port), {.backoff = article_backoff}, time);
    CHECK(result.state == CallState::limited);
    CHECK(result.until == start + 24h);
    CHECK(result.sends == 1);
    CHECK(stage.now() == start);
    const auto refused = must(other.budget().try_acquire(cost_of(other)));
    CHECK(refused.refusal() == Refusal::paused);
    CHECK(refused.resume_after() == start + 24h);
}

TEST_CASE("article, 'wrong key': HTTP 401 after 1 call, for a read as for an order") {
    OrderStage stage;
    stage.order.client_id = "k-1";
    const auto placed = stage.place([](auto) { return status(401); });
    CHECK(placed.state == OrderState::auth);
    CHECK(placed.sends == 1);
    CHECK(stage.venue.posts.size() == 1);
    CHECK(stage.venue.lookups.empty());
    CHECK_FALSE(stage.is_halted());

    Script read(stage.port, {{401}});
    const auto result = retry::call(stage.port, cost_of(stage.port), {}, read);
    CHECK(result.state == CallState::auth);
    CHECK(read.sent.size() == 1);
    CHECK(stage.port.sleeps.empty());
}

TEST_CASE(
    "article, 'blind retry': two orders with m-1 where sending twice is called harmless, else "
    "one") {
    for (const Repeat repeat : {Repeat::always, Repeat::reads}) {
        OrderStage stage;
        const auto result =
            retry::call(stage.port, stage.order.cost, {.repeat = repeat}, [&](const Permit&) {
                stage.venue.apply("m-1");  // filled at once: the id is free again
                return stage.venue.count("m-1") == 1 ? timed_out(stage, 500ms) : status(200);
            });
        CHECK(stage.venue.count("m-1") == (repeat == Repeat::always ? 2 : 1));
        CHECK(result.state == (repeat == Repeat::always ? CallState::done : CallState::unknown));
        CHECK(result.may_be_done == (repeat == Repeat::reads));
    }
}

TEST_CASE("article, 'place_order m-2': FILLED, one POST, one lookup, one order") {
    OrderStage stage;
    stage.order.client_id = "m-2";
    stage.policy.settle = 300ms;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id);
        return timed_out(stage, 500ms);  // the answer comes after the client gave up
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.is_by_lookup);
    CHECK(result.finding.status == "FILLED");
    CHECK(stage.venue.posts.size() == 1);
    CHECK(stage.venue.lookups.size() == 1);
    CHECK(stage.venue.count("m-2") == 1);
}

TEST_CASE("article, 'r-7': 2 orders carry r-7: reconcile") {
    OrderStage stage;
    stage.order.client_id = "r-7";
    stage.venue.apply("r-7");  // before a restart
    stage.advance(1h);
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id);
        return timed_out(stage, 500ms);
    });
    CHECK(result.state == OrderState::unknown);
    CHECK(result.reason == "r-7: 2 orders carry this id: reconcile");
    CHECK(result.finding.orders == 2);
    CHECK(result.halted);
    CHECK(stage.is_halted());
    CHECK(stage.venue.posts.size() == 1);
}

TEST_CASE("article, a reused id and a lost send: the older order is not taken for ours") {
    OrderStage stage;
    stage.order.client_id = "r-7";
    stage.venue.apply("r-7");
    stage.advance(1h);
    const auto result = stage.place([&](auto) { return timed_out(stage, 500ms); });
    CHECK(result.state == OrderState::unknown);
    CHECK(result.reason == "r-7: an older order carries this id: reconcile");
    CHECK(stage.is_halted());
}

TEST_CASE("article, ' ': client order id missing, nothing sent") {
    OrderStage stage;
    for (const char* blank : {"", " ", " \t\r\n"}) {
        stage.order.client_id = blank;
        const auto result = stage.place([](auto) { return status(200); });
        CHECK(result.state == OrderState::refused);
        CHECK(result.reason == "client order id missing: nothing sent");
    }
    CHECK(stage.venue.posts.empty());
    CHECK(stage.ledger.size() == 0);
}

TEST_CASE(
    "article, late answers: an order that appears after the client's timeout is found, not "
    "repeated") {
    OrderStage stage;
    stage.policy.settle = 2s;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "FILLED", {}, 1s);  // the venue decides when the client is gone
        return timed_out(stage, 500ms);
    });
    CHECK(result.state == OrderState::placed);
    CHECK(stage.venue.posts.size() == 1);
    CHECK(stage.lookups_after(result.first_sent_at) == std::vector<std::int64_t>{2'000});
}

TEST_CASE("article, 40 x 4 x 4: one layer on one budget, not the product of all") {
    Stage stage;
    auto port = stage.port();
    Script dead(port, {{0}});
    int sends = 0;
    for (int worker = 0; worker < 40; ++worker) {
        for (int wrapper = 0; wrapper < 4; ++wrapper) {
            const auto result =
                retry::call(port, cost_of(port),
                            {.attempts = 4, .kill_switch = [](const CallResult&) {}}, dead);
            CHECK_FALSE(result);
            sends += static_cast<int>(result.sends);
            // The wrapper's own retry is paid like any other.
            if (wrapper < 3 && !must(port.spend_retry_units(retry_units::retry_after_timeout)))
                break;
        }
    }
    CHECK(sends <= 40 + static_cast<int>(retry_units::full / retry_units::retry_after_timeout));
    CHECK(sends >= 40);
}
