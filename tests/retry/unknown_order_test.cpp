// SPDX-License-Identifier: Apache-2.0
//
// Orders whose outcome nobody told: timeouts, 5xx, broken replies.
#include <random>

#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("E01: a read timeout is looked up, and the order is not sent again") {
    OrderStage stage;
    const auto result = stage.place([&](std::string_view id) {
        if (!stage.venue.orders.empty()) return status(400, R"({"code":-2010})");
        stage.venue.apply(id, "FILLED", {}, 2s);
        return timed_out(stage, 10s);
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.finding.status == "FILLED");
    CHECK(stage.venue.posts.size() == 1);
    CHECK(stage.venue.lookups.size() == 1);
    CHECK(result.reason.empty());
}

TEST_CASE(
    "E03: after a 503 one 'not found' soon after is not final; the order is found and not "
    "repeated") {
    OrderStage stage;
    stage.policy.settle = 1s;
    stage.policy.visible_within = 15s;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "NEW", 4s);
        return status(503,
                      R"({"msg":"Unknown error, please check your request or try again later."})");
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.finding.status == "NEW");
    CHECK(stage.venue.posts.size() == 1);
    CHECK(stage.lookups_after(result.first_sent_at) ==
          std::vector<std::int64_t>{1'000, 2'000, 4'000});
}

TEST_CASE(
    "E04: a closing leg that failed is reported as not placed, apart from rejected, and not "
    "repeated") {
    OrderStage stage;
    stage.order.cost = stage.order.cost.with(Intent::close);
    stage.policy.visible_within = 50s;
    const auto result = stage.place([&](std::string_view) {
        return status(
            503,
            R"({"code":-1001,"msg":"Internal error; unable to process your request. Please try again."})");
    });
    CHECK(result.state == OrderState::not_placed);
    CHECK(result.reason == "m-1: lookups show nothing 60.000 s after it was sent");
    CHECK(result.looked_for == 60s);
    CHECK(stage.venue.posts.size() == 1);
    CHECK_FALSE(stage.is_halted());
}

TEST_CASE("E04: while nobody can say what became of an order, nothing that opens is sent") {
    OrderStage stage;
    const auto result = stage.place([&](auto) { return status(503); },
                                    [&](auto) { return Finding{.reply = status(503)}; });
    REQUIRE(result.state == OrderState::unknown);
    Script venue(stage.port, {{200}});
    CHECK(retry::call(stage.port, stage.order.cost, {}, venue).refusal == Refusal::halted);
    CHECK(venue.sent.empty());
    CHECK(retry::call(stage.port, stage.order.cost.with(Intent::close), {}, venue));
    stage.order.client_id = "m-2";
    const auto next = stage.place([&](auto) { return status(200); });
    CHECK(next.state == OrderState::refused);
    CHECK(next.refusal == Refusal::halted);
    CHECK(stage.venue.posts.size() == 1);
}

TEST_CASE("E11: found after three seconds of 'not found', with growing gaps, each lookup paid") {
    OrderStage stage;
    const auto before = must(stage.port.budget().snapshot()).limits[0].granted_units;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "NEW", 13s);  // three seconds after it must be settled
        return status(504);
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.lookups == 4);
    CHECK(stage.lookups_after(result.first_sent_at) ==
          std::vector<std::int64_t>{10'000, 10'666, 12'000, 14'666});
    CHECK(must(stage.port.budget().snapshot()).limits[0].granted_units == before + 1 + 4 * 4);
}

TEST_CASE(
    "E11: visible only after the window: not placed, labelled with the window, and found by a "
    "later check") {
    OrderStage stage;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "NEW", 45s);
        return status(504);
    });
    CHECK(result.state == OrderState::not_placed);
    CHECK(result.lookups == 5);
    CHECK(result.looked_for == 20s);
    stage.advance(1min);
    const OrderLedger::Entry entry{"m-1", "BTCUSDT", result.first_sent_utc_ns};
    const auto later = retry::settle_order(
        stage.port, entry, stage.order.lookup_cost, stage.policy,
        [&](const Permit&, std::string_view id) { return stage.venue.find(id); });
    CHECK(later.state == OrderState::placed);
    CHECK(later.lookups == 1);
    CHECK(stage.venue.posts.size() == 1);
}

TEST_CASE("E11: never visible: five lookups over the window, then not placed") {
    OrderStage stage;
    const auto result = stage.place([&](auto) { return status(504); });
    CHECK(result.state == OrderState::not_placed);
    CHECK(stage.lookups_after(result.first_sent_at) ==
          std::vector<std::int64_t>{10'000, 10'666, 12'000, 14'666, 20'000});
}

TEST_CASE("E19: a client that gives up early gets no lookup before the venue must have decided") {
    OrderStage stage;
    for (int attempt = 0; attempt < 3; ++attempt) {
        stage.order.client_id = "e19-" + std::to_string(attempt);
        stage.venue.lookups.clear();
        const auto result = stage.place([&](std::string_view id) {
            stage.venue.apply(id, "FILLED", {}, 900ms);
            return timed_out(stage, 1s);
        });
        CHECK(result.state == OrderState::placed);
        CHECK(stage.lookups_after(result.first_sent_at) == std::vector<std::int64_t>{10'000});
        CHECK(stage.venue.count(stage.order.client_id) == 1);
    }
}

TEST_CASE("E23: of a hundred bare 504s exactly those that the venue applied are reported placed") {
    OrderStage stage;
    std::mt19937 random(23);
    std::vector<bool> is_applied(100);
    std::fill_n(is_applied.begin(), 50, true);
    std::shuffle(is_applied.begin(), is_applied.end(), random);
    for (std::size_t i = 0; i < 100; ++i) {
        stage.order.client_id = "e23-" + std::to_string(i);
        const auto result = stage.place([&](std::string_view id) {
            if (is_applied[i]) {
                stage.venue.apply(id, "NEW", std::chrono::milliseconds(random() % 5'000));
            }
            return status(504);
        });
        CHECK(result.state == (is_applied[i] ? OrderState::placed : OrderState::not_placed));
        CHECK(stage.venue.count(stage.order.client_id) == (is_applied[i] ? 1 : 0));
        CHECK(stage.now() - result.first_sent_at <= 20s + 250ms);
    }
    CHECK(stage.venue.posts.size() == 100);
    CHECK(stage.venue.lookups.size() <= 500);
    CHECK_FALSE(stage.is_halted());
}

TEST_CASE("E17: a 200 whose body broke off is looked up, not reported as failed") {
    OrderStage stage;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "NEW");
        Reply reply = status(200, R"({"orderId": 4)");
        reply.is_whole = false;
        return reply;
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.is_by_lookup);
    CHECK(stage.venue.posts.size() == 1);
}

TEST_CASE(
    "E16: unknown when a byte may have been sent, not sent only when none was; never two "
    "executions") {
    struct Close {
        bool is_applied;
        std::size_t bytes;
    };
    int n = 0;
    for (const Close& close : {Close{false, 0}, Close{false, 40}, Close{true, 200}}) {
        OrderStage stage;
        stage.order.client_id = "e16-" + std::to_string(n++);
        const auto result = stage.place([&](std::string_view id) {
            if (close.is_applied) stage.venue.apply(id);
            return failed_reply(Phase::send, close.bytes);
        });
        const auto expected = close.bytes == 0   ? OrderState::not_sent
                              : close.is_applied ? OrderState::placed
                                                 : OrderState::not_placed;
        CHECK(result.state == expected);
        CHECK(stage.venue.posts.size() == 1);
        CHECK(stage.venue.count(result.client_id) == (close.is_applied ? 1 : 0));
    }
}

TEST_CASE("an order that was not sent may be placed again under its id; any other may not") {
    OrderStage stage;
    CHECK(stage.place([](auto) { return failed_reply(Phase::connect); }).state ==
          OrderState::not_sent);
    CHECK(stage.place([](auto) { return status(400); }).state == OrderState::rejected);
    const auto again = stage.place([](auto) { return status(200); });
    CHECK(again.state == OrderState::refused);
    CHECK(again.reason == "m-1: this id was used before: nothing sent");
    CHECK(stage.venue.posts.size() == 2);
}

TEST_CASE("lookups without an answer are retries: paid, spaced out, and unknown in the end") {
    OrderStage stage;
    const auto result = stage.place([&](auto) { return status(503); },
                                    [&](auto) { return Finding{.reply = status(500)}; });
    CHECK(result.state == OrderState::unknown);
    CHECK(result.reason == "m-1: outcome unknown: lookups have no clear answer");
    CHECK(result.halted);
    CHECK(stage.is_halted());
    CHECK(result.lookups >= 5);
    CHECK(stage.now() - result.first_sent_at <= 10s + 10s + 60s);
    CHECK(retry_units_left(stage.port) == 500 - 5 * (result.lookups - 1));
    REQUIRE(stage.ledger.unknown().size() == 1);
    CHECK(stage.ledger.unknown()[0].client_id == "m-1");
}

TEST_CASE("lookups end where the host has no retry units left") {
    OrderStage stage;
    REQUIRE(must(stage.port.spend_retry_units(485)));
    const auto result =
        stage.place([&](auto) { return status(503); },
                    [&](auto) { return Finding{.reply = failed_reply(Phase::wait)}; });
    CHECK(result.state == OrderState::unknown);
    CHECK(result.lookups == 2);
    CHECK(result.reason == "m-1: outcome unknown: the host has no retry units left for lookups");
}

TEST_CASE("a last lookup that fails is asked again, and what it then says holds") {
    for (const bool is_there : {true, false}) {
        OrderStage stage;
        int asked = 0;
        const auto result =
            stage.place([&](auto) { return status(504); },
                        [&](auto) {
                            if (++asked < 5) return Finding{.reply = status(400), .orders = 0};
                            if (asked < 8) return Finding{.reply = status(502)};
                            return Finding{.reply = status(200), .orders = is_there ? 1 : 0};
                        });
        CHECK(asked == 8);
        CHECK(result.state == (is_there ? OrderState::placed : OrderState::not_placed));
    }
}

TEST_CASE("'nothing' from a lookup that broke off, was limited or threw is no answer") {
    using LookUp = std::function<Finding(std::string_view)>;
    Reply cut = status(200);
    cut.is_whole = false;
    const std::vector<LookUp> lookups{
        [&](auto) { return Finding{.reply = cut, .orders = 0}; },
        [&](auto) { return Finding{.reply = status(429), .orders = 0}; },
        [&](auto) { return Finding{.reply = failed_reply(Phase::wait), .orders = 0}; },
        [&](auto) { return Finding{.reply = status(200)}; },
        [&](auto) -> Finding { throw std::runtime_error("no JSON"); }};
    for (const auto& look_up : lookups) {
        OrderStage stage;
        const auto result = stage.place([&](auto) { return status(504); }, look_up);
        CHECK(result.state == OrderState::unknown);
        CHECK(stage.is_halted());
        CHECK(stage.venue.posts.size() == 1);
    }
}

TEST_CASE("a wrong key for lookups, or a ban behind the window, ends them at once as unknown") {
    for (const int code : {401, 418}) {
        OrderStage stage;
        const auto result = stage.place([&](auto) { return status(504); },
                                        [&](auto) { return Finding{.reply = status(code)}; });
        CHECK(result.state == OrderState::unknown);
        CHECK(result.lookups == 1);
        CHECK(result.halted);
        if (code == 418) CHECK(result.until > stage.now());
    }
}

TEST_CASE("what send throws is looked up like a timeout, and is reported") {
    OrderStage stage;
    const auto result = stage.place([&](std::string_view id) -> Reply {
        stage.venue.apply(id);
        throw std::runtime_error("parse error");
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.exception != nullptr);
    CHECK(stage.venue.posts.size() == 1);
}

TEST_CASE(
    "O6: an order of an earlier life may have been sent a moment ago: no is not believed early") {
    OrderStage stage;
    REQUIRE(must(stage.ledger.begin("k-9", "BTCUSDT", stage.port.utc_ns())));
    stage.advance(1min);  // it waited for its permit, was sent, and its bot was killed
    const auto settle = [&] {
        stage.venue.lookups.clear();
        return retry::settle_order(
            stage.port, stage.ledger.unsettled().at(0), stage.order.lookup_cost, stage.policy,
            [&](const Permit&, std::string_view id) { return stage.venue.find(id); });
    };
    const BootTime start = stage.now();
    stage.venue.apply("k-9", "NEW", 18s, 1s);
    const auto result = settle();
    CHECK(result.state == OrderState::placed);
    CHECK(stage.lookups_after(start).front() == 0);
    CHECK(stage.lookups_after(start).back() == 20'000);
    CHECK(stage.ledger.unsettled().empty());

    REQUIRE(must(stage.ledger.begin("k-10", "BTCUSDT", stage.port.utc_ns())));
    const auto never = settle();
    CHECK(never.state == OrderState::not_placed);
    CHECK(never.looked_for == 20s);
    CHECK(stage.venue.posts.empty());
}
