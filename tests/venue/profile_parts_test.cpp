// SPDX-License-Identifier: Apache-2.0
//
// What operations, counts, signals and waits of a profile are refused for.
#include <string>

#include "venue/sound_limits.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

Lines of_signal(std::string_view rest) {
    return after_limits("[[signals]]\nname = \"s\"\n" + std::string(rest));
}

Lines of_feedback(std::string_view rest) {
    return after_limits("[[feedback]]\nlimit = \"weight\"\n" + std::string(rest));
}

Lines of_operation(std::string_view rest) {
    return after_limits("[operations.x]\nintent = \"read\"\n" + std::string(rest));
}

}  // namespace

TEST_CASE("an operation costs something that its limits can grant") {
    CHECK(of_operation("") ==
          Lines{"sample.toml:19: operation 'x': cost is needed: {limit = units, ...}"});
    CHECK(
        of_operation("cost.wieght = 1") ==
        Lines{"sample.toml:21: operation 'x': cost: no limit 'wieght'; there are: weight, orders"});
    CHECK(
        of_operation("cost.weight = 101") ==
        Lines{"sample.toml:19: operation 'x': limit 'weight': the largest cost 101 can never fit; "
              "at most 100 at once (raise burst, or lower reserve or slack)"});
    CHECK(of_operation("cost.orders = { parameter = \"n\", each = 1, up_to = 11 }")[0].starts_with(
        "sample.toml:19: operation 'x': limit 'orders': "));
    CHECK(of_operation("cost.weight = -1") ==
          Lines{"sample.toml:21: operation 'x': cost.weight is not between 0 and 2147483648"});
    CHECK(of_operation("cost.weight = \"1\"") ==
          Lines{"sample.toml:21: operation 'x': cost.weight: is not a table"});
}

TEST_CASE("a cost's table says one thing") {
    const auto of_cost = [](std::string_view table) {
        return of_operation("cost.weight = {" + std::string(table) + "}");
    };
    const std::string head = "sample.toml:21: operation 'x': cost.weight: ";
    CHECK(of_cost("parameter = \"n\", steps = [[100, 5], [50, 9]], default = 1") ==
          Lines{head + "steps are not ascending: 50 after 100"});
    CHECK(of_cost("parameter = \"n\", steps = [[100, 5], [100, 9]], default = 1") ==
          Lines{head + "steps are not ascending: 100 after 100"});
    CHECK(of_cost("parameter = \"n\", steps = [[100]]") ==
          Lines{head + "steps is not an array of [up to this value, units]"});
    CHECK(of_cost("parameter = \"n\", steps = []")[0] ==
          head + "steps is not an array of [up to this value, units]");
    CHECK(of_cost("parameter = \"n\", each = 1, steps = [[1, 1]]")[0] ==
          head + "needs one of steps, each or present");
    CHECK(of_cost("parameter = \"n\", each = 1, default = 1, absent = 2") ==
          Lines{head + "has both default and absent"});
    CHECK(of_cost("parameter = \"n\", present = 1") == Lines{head + "needs absent"});
    CHECK(of_cost("parameter = \"n\", each = 1, divide = 0")[0] ==
          head + "divide 0 is not between 1 and 2147483648");
    CHECK(of_cost("parameter = \"n\", each = 1, stps = 1") == Lines{head + "unknown key 'stps'"});
}

TEST_CASE("names of operations do not differ in case alone") {
    CHECK(after_limits("[operations.Get]\nintent = \"read\"\ncost.weight = 1\n") ==
          Lines{"sample.toml:19: operation 'Get': differs from 'get' of line 16 only in case"});
}

TEST_CASE("charges are of limits the operation draws from") {
    CHECK(of_operation("cost.weight = 1\ncharge.ok = { weight = 0 }\ncharge.failed.weight = 2")
              .empty());
    CHECK(of_operation("cost.weight = 1\ncharge.ok = { orders = 0 }") ==
          Lines{"sample.toml:22: operation 'x': charge.ok: the operation draws nothing from "
                "'orders'"});
    CHECK(of_operation("cost.weight = 1\ncharge.okay = { weight = 0 }") ==
          Lines{"sample.toml:22: operation 'x': charge: unknown key 'okay'"});
}

TEST_CASE("a count has one source of a kind") {
    CHECK(of_feedback("header = \"used\"\nmeans = \"used\"\n").empty());
    CHECK(of_feedback("") ==
          Lines{"sample.toml:19: feedback 1: needs means",
                "sample.toml:19: feedback 1: needs one of header, body or array"});
    CHECK(of_feedback("header = \"used\"\nbody = \"/x\"\nmeans = \"used\"\n") ==
          Lines{"sample.toml:19: feedback 1: needs one of header, body or array"});
    CHECK(of_feedback("header = \"us ed\"\nmeans = \"used\"\n") ==
          Lines{"sample.toml:21: feedback 1: header 'us ed' is not the name of a header"});
    CHECK(of_feedback("body = \"x\"\nmeans = \"used\"\n")[0].starts_with(
        "sample.toml:21: feedback 1: body 'x' is not a JSON pointer"));
    CHECK(of_feedback("array = \"/r\"\nmeans = \"used\"\n") ==
          Lines{"sample.toml:19: feedback 1: needs where",
                "sample.toml:19: feedback 1: needs field"});
    const std::string other = "[[feedback]]\nlimit = \"weight\"\nmeans = \"used\"\n";
    CHECK(of_feedback("header = \"a\"\nmeans = \"used\"\n" + other + "header = \"b\"\n") ==
          Lines{"sample.toml:23: feedback: a second source for the count of 'weight'; the first is "
                "on line 19"});
    CHECK(of_feedback("header = \"a\"\nmeans = \"used\"\n" + other + "body = \"/b\"\n").empty());
    CHECK(of_feedback("header = \"a\"\nmeans = \"used\"\nreset = { header = \"r\" }\n") ==
          Lines{"sample.toml:23: feedback 1: reset: needs unit"});
}

TEST_CASE("a signal has a condition, an action and a scope that go together") {
    CHECK(of_signal("status = 429\naction = \"pause\"\n").empty());
    CHECK(
        of_signal("action = \"pause\"\n") ==
        Lines{"sample.toml:19: signal 's': has no condition: status, frame, header, header_absent, "
              "body or text"});
    CHECK(of_signal("status = 429\n") == Lines{"sample.toml:19: signal 's': needs action"});
    CHECK(of_signal("status = 42\naction = \"pause\"\n")[0].starts_with(
        "sample.toml:21: signal 's': status is not 100 to 599"));
    CHECK(of_signal("status = [429, \"6xx\"]\naction = \"pause\"\n")[0].starts_with(
        "sample.toml:21: signal 's': status is not 100 to 599"));
    CHECK(of_signal("status = 429\naction = \"pause\"\nscope = \"key\"\n") ==
          Lines{"sample.toml:19: signal 's': scope key needs per, as a limit has it"});
    CHECK(of_signal("status = 429\naction = \"pause\"\nscope = \"key\"\nper = \"account\"\n")
              .empty());
    CHECK(of_signal("status = 429\naction = \"ban\"\nscope = \"key\"\nper = \"account\"\n") ==
          Lines{"sample.toml:19: signal 's': a ban concerns the address; a key is paused"});
    CHECK(of_signal("status = 429\naction = \"pause\"\nscope = \"request\"\n") ==
          Lines{"sample.toml:19: signal 's': a pause concerns a key or the address; one request is "
                "told retry-later"});
    CHECK(of_signal("status = 400\naction = \"rejected\"\nat_least = \"1s\"\n") ==
          Lines{"sample.toml:19: signal 's': its action has no wait"});
    CHECK(of_signal("status = 400\nequals = 1\naction = \"rejected\"\n") ==
          Lines{"sample.toml:22: signal 's': equals needs body"});
    CHECK(of_signal("status = 400\noperations = [\"got\"]\naction = \"rejected\"\n") ==
          Lines{"sample.toml:22: signal 's': operations names the unknown operation 'got' (did you "
                "mean 'get'?)"});
}

TEST_CASE("a signal that an earlier one always hides is refused") {
    const std::string general =
        "status = \"4xx\"\naction = \"rejected\"\n[[signals]]\nname = \"t\"\n";
    const Lines hidden{
        "sample.toml:23: signal 't': can never match; 's' of line 19 always does before it"};
    CHECK(of_signal(general + "status = 429\nbody = \"/code\"\naction = \"pause\"\n") == hidden);
    CHECK(of_signal(general + "status = [400, 429]\naction = \"pause\"\n") == hidden);
    CHECK(of_signal(general + "status = [400, 500]\naction = \"pause\"\n").empty());
    CHECK(of_signal(general + "body = \"/code\"\naction = \"pause\"\n").empty());
    const std::string coded =
        "body = \"/code\"\nequals = [1, 2]\naction = \"rejected\"\n[[signals]]\nname = \"t\"\n";
    CHECK(of_signal(coded + "body = \"/code\"\nequals = 2\naction = \"pause\"\n").size() == 1);
    CHECK(of_signal(coded + "body = \"/code\"\nequals = 3\naction = \"pause\"\n").empty());
    CHECK(of_signal(coded + "body = \"/cod\"\nequals = 2\naction = \"pause\"\n").empty());
    CHECK(of_signal("status = 429\naction = \"pause\"\n[[signals]]\nname = \"s\"\nstatus = 430\n"
                    "action = \"pause\"\n") ==
          Lines{"sample.toml:23: signal 's': the name is taken by line 19"});
}

TEST_CASE("a wait names its source whole") {
    const auto of_wait = [](std::string_view wait) {
        return of_signal("status = 429\naction = \"pause\"\nwait = [{" + std::string(wait) +
                         "}]\n");
    };
    const std::string head = "sample.toml:23: signal 's': wait 1: ";
    CHECK(of_wait("from = \"retry-after\"").empty());
    CHECK(of_wait("from = \"window\", limit = \"orders\"").empty());
    CHECK(of_wait("") == Lines{head + "needs from"});
    CHECK(of_wait("from = \"header\"") == Lines{head + "needs name", head + "needs unit"});
    CHECK(of_wait("from = \"body\", at = \"/a\", unit = \"ms\"")[0].starts_with(
        head + "unit 'ms' is none of: epoch-s"));
    CHECK(of_wait("from = \"text\", unit = \"epoch-ms\"")[0] == head + "needs after");
    CHECK(of_wait("from = \"fixed\", wait = \"0s\"") == Lines{head + "wait is 0; that is no wait"});
    CHECK(of_wait("from = \"fixed\", wait = \"4d\"") ==
          Lines{"sample.toml:23: wait: is longer than longest_wait"});
    CHECK(of_wait("from = \"retry-after\", name = \"x\"") == Lines{head + "unknown key 'name'"});
    CHECK(of_wait("from = \"header\", name = \"x\", unit = \"countdown-s\", now_header = \"d\"") ==
          Lines{head + "a countdown needs no clock: drop now_header and now_at"});
}
