// SPDX-License-Identifier: Apache-2.0
//
// What may be sent twice: methods, failures, layers.
#include "retry/judgement.hpp"
#include "retry/order_stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr Answer reset_after_send{0, "", "", Transport::maybe_sent};
constexpr Answer connect_refused{0, "", "", Transport::not_sent};

std::uint32_t sends_of(std::string_view method, const Answer& first, bool resend_refused = false) {
    Stage stage;
    auto port = stage.port();
    Script venue(port, {first, {200}});
    const auto result =
        retry::call(port, cost_of(port, 1, Intent::open),
                    {.repeat = repeat_of_method(method), .resend_refused = resend_refused}, venue);
    CHECK(result.sends == venue.sent.size());
    return result.sends;
}

}  // namespace

TEST_CASE("E05: only GET and HEAD, spelled so, are repeated after a failure") {
    for (const char* method :
         {"POST", "PUT", "PATCH", "DELETE", "post", "get", "Get", "", "FETCH"}) {
        for (const Answer& failure : {reset_after_send, Answer{500}, Answer{502}, Answer{504},
                                      Answer{429, "", "1"}, Answer{408}, Answer{503, "", "1"}}) {
            CHECK(sends_of(method, failure) == 1);
        }
        CHECK(sends_of(method, connect_refused) == 2);  // provably not applied
    }
    for (const char* method : {"GET", "HEAD"}) {
        for (const Answer& failure : {reset_after_send, connect_refused, Answer{500}, Answer{502},
                                      Answer{504}, Answer{429, "", "1"}}) {
            CHECK(sends_of(method, failure) == 2);
        }
    }
}

TEST_CASE(
    "E05: a POST that the limiter refused goes again, after the pause, by the caller's choice "
    "alone") {
    CHECK(sends_of("POST", {429, "", "1"}, true) == 2);
    CHECK(sends_of("POST", {418, "", "1"}, true) == 1);  // a ban is final
    CHECK(sends_of("POST", {500}, true) == 1);
    CHECK(sends_of("POST", reset_after_send, true) == 1);
    Stage stage;
    auto port = stage.port();
    const BootTime start = stage.now();
    Script venue(port, {{429, "", "5"}, {200}});
    REQUIRE(retry::call(port, cost_of(port, 1, Intent::open), {.resend_refused = true}, venue));
    CHECK(venue.sent[1] >= start + 5s);
}

TEST_CASE("a refusal that was partly done is never sent again") {
    Stage stage;
    auto port = stage.port();
    port.advise = [&](const Reply& reply) {
        Advice advice = advice_of(reply, stage.now());
        advice.partly_done = reply.status == 429;  // its cancel half succeeded
        advice.scope = Scope::request;
        return advice;
    };
    Script venue(port, {{429, "", "1"}, {200}});
    const auto result =
        retry::call(port, cost_of(port, 1, Intent::open), {.resend_refused = true}, venue);
    CHECK(result.state == CallState::limited);
    CHECK(result.advice.partly_done);
    CHECK(result.may_be_done);
    CHECK(venue.sent.size() == 1);
}

TEST_CASE("E17: only what failed before the first byte left is known not to be applied") {
    for (const Phase phase : {Phase::resolve, Phase::connect, Phase::secure, Phase::proxy}) {
        CHECK(failed_reply(phase).transport == Transport::not_sent);
    }
    CHECK(failed_reply(Phase::send, 0).transport == Transport::not_sent);
    for (const Reply& reply : {failed_reply(Phase::send, 1), failed_reply(Phase::send),
                               failed_reply(Phase::wait), failed_reply(Phase::receive)}) {
        CHECK(reply.transport == Transport::maybe_sent);
        CHECK(reply.status == 0);
        CHECK_FALSE(reply.is_whole);
    }
}

TEST_CASE(
    "E17: for an order a broken body of a 200 and a proxy's 502 or 504 are unknown, not failed") {
    Stage stage;
    auto port = stage.port();
    for (const Answer& answer : {Answer{.status = 200, .is_whole = false}, Answer{502}, Answer{504},
                                 Answer{.status = 400, .is_whole = false}, reset_after_send}) {
        Script venue(port, {answer});
        const auto result = retry::call(port, cost_of(port, 1, Intent::open), {}, venue);
        CHECK(result.state == CallState::unknown);
        CHECK(result.may_be_done);
    }
    Script read(port, {{.status = 200, .is_whole = false}, {200, "{}"}});
    CHECK(retry::call(port, cost_of(port), {}, read).sends == 2);
}

TEST_CASE("J2: no advice makes a lost request safe to send again") {
    Reply lost = failed_reply(Phase::wait);
    for (const Action action : {Action::ok, Action::retry_later, Action::pause,
                                Action::unknown_outcome, Action::rejected, Action::overload}) {
        Advice advice;
        advice.action = action;
        const auto judgement = retry::judge(lost, advice, false, true);
        if (action == Action::unknown_outcome || action == Action::ok ||
            action == Action::rejected) {
            CHECK(judgement.state == CallState::unknown);
        }
        CHECK_FALSE(judgement.again);
        CHECK(judgement.may_be_done);
    }
}

TEST_CASE("J1: auth, ban and rejection are final for reads too") {
    for (const Action action : {Action::auth, Action::ban, Action::rejected}) {
        Advice advice;
        advice.action = action;
        CHECK_FALSE(retry::judge(status(400), advice, true, true).again);
    }
}

TEST_CASE(
    "E24: the rule for orders wins over any list of statuses, and layers below are not repeated") {
    Stage stage;
    auto port = stage.port();
    int calls = 0;
    int sent = 0;
    const auto function = [&](const Permit&) {
        ++calls;
        for (int hidden = 0; hidden < 3; ++hidden) ++sent;  // two repeats of its own
        return status(503);
    };
    const auto order = retry::call(port, cost_of(port, 1, Intent::open), {.attempts = 4}, function);
    CHECK(order.state == CallState::unknown);
    CHECK(calls == 1);
    CHECK(order.sends == 1);
    calls = sent = 0;
    const auto read = retry::call(port, cost_of(port), {.attempts = 4}, function);
    CHECK(calls == 4);
    CHECK(sent == 12);
    CHECK(read.sends == 4);  // what we can see; curl.hpp stops the others
}
