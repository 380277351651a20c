// SPDX-License-Identifier: Apache-2.0
//
// Orders that were answered, ids, resends.
#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// As a profile of Binance reads them: "Duplicate order sent" means that the id is known.
Advice binance(const Reply& reply, BootTime now) {
    Advice advice = advice_of(reply, now);
    advice.is_duplicate = reply.body.find("uplicate order sent") != std::string_view::npos ||
                          reply.body.find("-4116") != std::string_view::npos;
    return advice;
}

}  // namespace

TEST_CASE("a reply that says so is the end: placed, rejected, limited, banned, busy") {
    const std::vector<std::pair<int, OrderState>> ends{
        {200, OrderState::placed},  {400, OrderState::rejected}, {401, OrderState::auth},
        {429, OrderState::limited}, {418, OrderState::banned},   {425, OrderState::busy}};
    for (const auto& [code, state] : ends) {
        OrderStage stage;
        const auto result = stage.place([&, c = code](auto) { return status(c); });
        CHECK(result.state == state);
        CHECK(result.sends == 1);
        CHECK(result.lookups == 0);
        CHECK(stage.venue.lookups.empty());
        CHECK(result.client_id == "m-1");
        CHECK(result.reason.empty() == (state == OrderState::placed));
        if (code == 429 || code == 418) CHECK(result.until > stage.now());
        CHECK_FALSE(stage.is_halted());
        CHECK(stage.ledger.unsettled().empty());
    }
}

TEST_CASE(
    "E06: the id is made once, before the send, and stands in the lookup and in every result") {
    OrderStage stage;
    stage.order.client_id.clear();
    stage.order.make_id = true;
    stage.policy.ids.prefix = "x-AB";
    std::string looked_up;
    const auto result = stage.place(
        [&](std::string_view id) {
            stage.venue.apply(id);
            return status(504);  // after execution
        },
        [&](std::string_view id) {
            looked_up = id;
            return stage.venue.find(id);
        });
    REQUIRE(stage.venue.posts.size() == 1);
    CHECK(result.state == OrderState::placed);
    CHECK(result.client_id.starts_with("x-AB"));
    CHECK(stage.venue.posts[0].client_id == result.client_id);
    CHECK(looked_up == result.client_id);
    // The same object for a deliberate second order: another id.
    const auto second = stage.place([&](auto) { return status(200); });
    CHECK(second.state == OrderState::placed);
    CHECK(second.client_id != result.client_id);
}

TEST_CASE(
    "E25: an order that timed out without an id of the caller's has one, with symbol, time and "
    "state") {
    OrderStage stage;
    stage.order.client_id.clear();
    stage.order.make_id = true;
    const auto start = stage.port.utc_ns();
    const auto result =
        stage.place([&](auto) { return timed_out(stage, 10s); },
                    [&](auto) { return Finding{.reply = failed_reply(Phase::wait)}; });
    CHECK(result.state == OrderState::unknown);
    CHECK(result.client_id.size() >= 16);
    CHECK(result.reason.starts_with(result.client_id + ": outcome unknown"));
    CHECK(result.symbol == "BTCUSDT");
    CHECK(result.first_sent_utc_ns == start);
    CHECK(result.first_sent_at != BootTime{});
}

TEST_CASE(
    "E08: 'duplicate' is looked up at once, and the order that lives is reported with the venue's "
    "id") {
    for (const char* body :
         {R"({"code":-2010,"msg":"Duplicate order sent."})",
          R"({"code":-2010,"msg":"duplicate order sent"})", R"({"code":-4116})"}) {
        OrderStage stage;
        stage.port.advise = [&](const Reply& reply) { return binance(reply, stage.now()); };
        const auto result = stage.place([&](std::string_view id) {
            stage.venue.apply(id, "NEW");  // a layer below repeated it
            return status(400, body);
        });
        CHECK(result.state == OrderState::placed);
        CHECK(result.finding.status == "NEW");
        CHECK(stage.lookups_after(result.first_sent_at) == std::vector<std::int64_t>{0});
        CHECK(stage.venue.posts.size() == 1);
    }
}

TEST_CASE("E08: the other rejections under the same code are final") {
    for (const char* body :
         {R"({"code":-2010,"msg":"Account has insufficient balance for requested action."})",
          R"({"code":-2010,"msg":"Filter failure: LOT_SIZE"})", R"({"code":51016})"}) {
        OrderStage stage;
        stage.port.advise = [&](const Reply& reply) { return binance(reply, stage.now()); };
        const auto result = stage.place([&](auto) { return status(400, body); });
        CHECK(result.state == OrderState::rejected);
        CHECK(stage.venue.lookups.empty());
    }
}

TEST_CASE("E08: whatever a second send is told, only a lookup says what became of the first") {
    OrderStage stage;
    stage.policy.resend = Resend::after_lookup;
    const auto result = stage.place([&](std::string_view id) {
        if (stage.venue.posts.size() > 1) return status(400, R"({"code":-2010,"msg":"?"})");
        stage.venue.apply(id, "NEW", 21s);  // invisible for longer than the venue says
        return status(504);
    });
    CHECK(result.state == OrderState::placed);
    CHECK(result.is_by_lookup);
    CHECK(stage.venue.posts.size() == 2);
    CHECK(stage.venue.count("m-1") == 1);
}

TEST_CASE(
    "a duplicate that no lookup shows, or that is older than our send, is unknown and halts") {
    for (const bool is_older : {false, true}) {
        OrderStage stage;
        stage.port.advise = [&](const Reply& reply) { return binance(reply, stage.now()); };
        if (is_older) stage.venue.apply("m-1", "NEW");
        stage.advance(1h);
        const auto result =
            stage.place([&](auto) { return status(400, R"({"msg":"Duplicate order sent."})"); });
        CHECK(result.state == OrderState::unknown);
        CHECK(stage.is_halted());
        CHECK(result.finding.orders == (is_older ? 1 : 0));
    }
}

TEST_CASE(
    "O3: sent a second time only by the policy's word, after a whole window of nothing, never a "
    "third") {
    for (const Resend resend : {Resend::never, Resend::after_lookup}) {
        OrderStage stage;
        stage.policy.resend = resend;
        const auto result = stage.place([&](auto) { return status(504); });
        CHECK(result.state == OrderState::not_placed);
        REQUIRE(stage.venue.posts.size() == (resend == Resend::never ? 1 : 2));
        CHECK(result.sends == stage.venue.posts.size());
        if (resend == Resend::never) continue;
        CHECK(stage.venue.posts[1].at - stage.venue.posts[0].at >= 20s);
        CHECK(stage.venue.posts[1].client_id == stage.venue.posts[0].client_id);
        CHECK(stage.venue.lookups.size() == 10);
    }
}

TEST_CASE("O3: both sends applied after all: two orders, unknown, halted") {
    OrderStage stage;
    stage.policy.resend = Resend::after_lookup;
    const auto result = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "FILLED", stage.venue.posts.size() == 1 ? 25s : 0s);
        return status(504);
    });
    CHECK(stage.venue.posts.size() == 2);
    CHECK(result.state == OrderState::unknown);
    CHECK(result.finding.orders == 2);
    CHECK(stage.is_halted());
}

TEST_CASE(
    "E09: a repeat stays inside the venue's window of deduplication, counted from the first send") {
    const auto posts = [](std::chrono::nanoseconds window, std::chrono::nanoseconds ban) {
        OrderStage stage;
        stage.policy.resend = Resend::while_deduplicated;
        stage.policy.resend_within = window;
        stage.policy.within = 1h;
        stage.policy.answer_within = 1h;
        const auto result = stage.place([&](auto) {
            if (stage.venue.posts.size() > 1) return status(200);
            if (ban > 0s) must(stage.port.budget().pause(PauseKind::cooldown, stage.now() + ban));
            return timed_out(stage, 10s);
        });
        const bool is_sent_again = stage.venue.posts.size() == 2;
        CHECK(result.state == (is_sent_again ? OrderState::placed : OrderState::not_placed));
        if (is_sent_again) {
            CHECK(stage.venue.posts[1].at < stage.venue.posts[0].at + window - 1s);
        }
        return stage.venue.posts.size();
    };
    CHECK(posts(0s, 0s) == 1);  // the default: no venue is trusted to deduplicate
    CHECK(posts(600s, 0s) == 2);
    CHECK(posts(600s, 720s) == 1);  // a ban's pause counts into the age
    CHECK(posts(21s, 0s) == 1);     // the window of lookups ends inside the margin
}

TEST_CASE(
    "E09: at a venue without deduplication two orders under one id are never sent one after the "
    "other") {
    OrderStage stage;
    CHECK(stage
              .place([&](std::string_view id) {
                  stage.venue.apply(id);
                  return status(200);
              })
              .state == OrderState::placed);
    stage.advance(1s);
    CHECK(stage.place([&](auto) { return status(200); }).state == OrderState::refused);
    CHECK(stage.venue.count("m-1") == 1);
}

TEST_CASE("ids that the venue would refuse are refused before anything is sent, with the reason") {
    OrderStage stage;
    const std::vector<std::pair<std::string, std::string>> bad{
        {std::string(37, 'a'), "is longer than 36 characters"},
        {"with blank", "holds a character the venue refuses"},
        {"caf\xc3\xa9", "holds a character the venue refuses"},
        {std::string("nul\0", 4), "holds a character the venue refuses"}};
    for (const auto& [id, why] : bad) {
        stage.order.client_id = id;
        const auto result = stage.place([](auto) { return status(200); });
        CHECK(result.state == OrderState::refused);
        CHECK(result.reason == "client order id '" + id + "' " + why + ": nothing sent");
    }
    stage.order.client_id = "good";
    stage.order.lookup_cost = Cost();
    CHECK(stage.place([](auto) { return status(200); }).state == OrderState::refused);
    CHECK(stage.venue.posts.empty());
}

TEST_CASE("an order that the budget refuses was never sent, and its id stays free") {
    OrderStage stage;
    must(stage.port.budget().pause(PauseKind::ban, stage.now() + 1h));
    const auto refused = stage.place([](auto) { return status(200); });
    CHECK(refused.state == OrderState::refused);
    CHECK(refused.refusal == Refusal::paused);
    CHECK(refused.until == stage.now() + 1h);
    CHECK(refused.reason == "m-1: the host is paused: nothing sent");
    must(stage.port.budget().reset(true));
    stage.advance(1min);
    CHECK(stage.place([](auto) { return status(200); }).state == OrderState::placed);
}
