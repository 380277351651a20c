// SPDX-License-Identifier: Apache-2.0
//
// call and place_order on a budget that a profile describes: nothing about the venue in the
// program.
#include "retry/order_stage.hpp"
#include "support/profile_text.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

const std::string venue_text = with_head(R"(
settle = "2s"
visible_within = "6s"
order_id = { charset = "a-z0-9-", max = 20, unique = "open" }

[limits.weight]
kind = "fixed"
quota = 1000
window = "1m"

[operations.depth]
intent = "read"
cost.weight = 5

[operations.query]
intent = "read"
cost.weight = 4

[operations.order]
intent = "open"
cost.weight = 1

[[signals]]
name = "duplicate"
status = 400
body = "/code"
equals = [-2010]
text = "*duplicate order sent*"
text_in = "/msg"
action = "rejected"
duplicate = true

[[signals]]
name = "ip-ban"
status = 418
body = "/code"
equals = [-1003]
action = "ban"
wait = [{ from = "text", in = "/msg", after = "banned until ", unit = "epoch-ms" }]
)");

struct ProfiledStage : Scene {
    Profile profile = must(Profile::parse(venue_text, "test.toml"));
    StagePort port{open_budget(), clock};
    OrderVenue venue{*this};
    OrderLedger ledger = OrderLedger::in_memory();
    OrderPolicy policy = order_policy_of(profile);
    Order order{.client_id = "m-1",
                .cost = must(port.budget().operation("order")),
                .lookup_cost = must(port.budget().operation("query"))};

    Budget open_budget() {
        return must(
            client::Opening::open("budget", profile, {.label = "test", .full = true}, clock));
    }
    OrderResult place(const std::function<Reply(std::string_view)>& send) {
        policy.ledger = &ledger;
        return retry::place_order(
            port, order, policy,
            [&](const Permit&, std::string_view id) {
                venue.note_post(id);
                return send(id);
            },
            [&](const Permit&, std::string_view id) { return venue.find(id); });
    }
};

}  // namespace

TEST_CASE("an order's times and id rules come from the profile") {
    ProfiledStage stage;
    CHECK(stage.policy.settle == 2s);
    CHECK(stage.policy.visible_within == 6s);
    CHECK(stage.policy.resend == Resend::never);
    stage.order.client_id = "UPPER";
    CHECK(stage.place([](auto) { return status(200, "{}"); }).state == OrderState::refused);
    stage.order.client_id = std::string(21, 'a');
    CHECK(stage.place([](auto) { return status(200, "{}"); }).state == OrderState::refused);
    stage.order = {
        .make_id = true, .cost = stage.order.cost, .lookup_cost = stage.order.lookup_cost};
    const auto placed = stage.place([](auto) { return status(200, "{}"); });
    CHECK(placed.state == OrderState::placed);
    CHECK(placed.client_id.size() <= 20);
    const auto lost = stage.place([&](auto) { return status(504); });
    CHECK(lost.state == OrderState::not_placed);
    CHECK(lost.looked_for == 8s);
}

TEST_CASE("an empty id_characters or times that the profile does not state leave the defaults") {
    std::string text(venue_text);
    for (const char* line :
         {"settle = \"2s\"\n", "visible_within = \"6s\"\n",
          "order_id = { charset = \"a-z0-9-\", max = 20, unique = \"open\" }\n"}) {
        text.erase(text.find(line), std::string(line).size());
    }
    const auto policy = order_policy_of(must(Profile::parse(text, "test.toml")));
    CHECK(policy.settle == OrderPolicy().settle);
    CHECK(policy.visible_within == OrderPolicy().visible_within);
    CHECK(policy.ids.charset == OrderIdRules().charset);
    CHECK(OrderIdMaker::make(policy.ids));
}

TEST_CASE("E08 by a profile: the duplicate's text leads to a lookup, another text is a rejection") {
    ProfiledStage stage;
    const auto known = stage.place([&](std::string_view id) {
        stage.venue.apply(id, "NEW");
        return status(400, R"({"code":-2010,"msg":"Duplicate order sent."})");
    });
    CHECK(known.state == OrderState::placed);
    CHECK(known.advice.signal == "duplicate");
    CHECK(known.finding.status == "NEW");
    stage.order.client_id = "m-2";
    const auto poor = stage.place([&](auto) {
        return status(400, R"({"code":-2010,"msg":"Account has insufficient balance."})");
    });
    CHECK(poor.state == OrderState::rejected);
    CHECK(stage.venue.lookups.size() == 1);
}

TEST_CASE("a ban whose end stands in the message stops this call and every other of the host") {
    ProfiledStage stage;
    StagePort other(stage.open_budget(), stage.clock);
    const auto end_ms = (stage.port.utc_ns() + 120 * core::second_ns) / 1'000'000;
    const std::string body = R"({"code":-1003,"msg":"Way too many requests; IP banned until )" +
                             std::to_string(end_ms) + R"(. Please use the websocket."})";
    int sends = 0;
    const auto result = retry::call(stage.port, must(stage.port.budget().operation("depth")), {},
                                    [&](const Permit&) {
                                        ++sends;
                                        return status(418, body);
                                    });
    CHECK(result.state == CallState::banned);
    CHECK(sends == 1);
    CHECK(result.until >= stage.now() + 119s);
    const auto refused = must(other.budget().try_acquire(must(other.budget().operation("depth"))));
    CHECK(refused.refusal() == Refusal::paused);
    CHECK(refused.resume_after() == result.until);
}

TEST_CASE("a read's 5xx is sent again by the profile's table, an order's is looked up") {
    ProfiledStage stage;
    int sends = 0;
    const auto result =
        retry::call(stage.port, must(stage.port.budget().operation("depth")), {},
                    [&](const Permit&) { return status(++sends < 3 ? 502 : 200, "{}"); });
    CHECK(result.state == CallState::done);
    CHECK(sends == 3);
    const auto order =
        retry::call(stage.port, stage.order.cost, {}, [&](const Permit&) { return status(502); });
    CHECK(order.state == CallState::unknown);
}
