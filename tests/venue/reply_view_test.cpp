// SPDX-License-Identifier: Apache-2.0
//
// V1: lookups by way of the remembered members find what a walk of the whole text finds.
#include "venue/reply_view.hpp"

#include <rapidcheck.h>

#include <deque>
#include <string>
#include <vector>

#include "venue/mutation.hpp"
#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

Reply with_body(std::string_view body) {
    Reply reply;
    reply.body = body;
    return reply;
}

std::vector<std::string_view> raws_by_walk(std::string_view body,
                                           const venue::JsonPointer& pointer) {
    std::vector<std::string_view> raws;
    venue::JsonWalk walk(body, pointer);
    while (const auto value = walk.next()) raws.push_back(value->raw);
    return raws;
}

/// Every pointer is asked for twice: found values are remembered.
void check_same(std::string_view body, const std::vector<venue::JsonPointer>& pointers) {
    const auto reply = with_body(body);
    venue::ReplyView view(reply, {boot_now, t0_s * second, {}});
    for (int round = 0; round < 2; ++round) {
        for (const auto& pointer : pointers) {
            const auto walked = raws_by_walk(body, pointer);
            const auto found = view.find(pointer);
            RC_ASSERT(found.has_value() == !walked.empty());
            // Containers reach to the end of what is looked at, which may be another end.
            if (found && found->is_scalar()) RC_ASSERT(found->raw == walked.front());
            std::size_t seen = 0;
            view.of_body(pointer, [&](const venue::JsonValue&) {
                ++seen;
                return false;
            });
            // Behind the remembered members a walk begins anew and meets the first ones again.
            RC_ASSERT((pointer.has_star() ? seen >= walked.size() : seen == (found ? 1U : 0U)));
            RC_ASSERT((seen == 0) == walked.empty());
        }
    }
}

std::vector<venue::JsonPointer> usual_pointers() {
    std::vector<venue::JsonPointer> pointers;
    for (const auto* text : {"", "/a", "/b", "/m19", "/a/b", "/a/b/c", "/l/*", "/l/*/a", "/l/1",
                             "/*", "/0", "/0/a", "/*/a", "/a~1b", "/\xc3\xa9"}) {
        pointers.push_back(*venue::JsonPointer::parse(text));
    }
    return pointers;
}

std::string any_value(int depth) {
    if (depth == 0 || *rc::gen::inRange(0, 3) == 0) {
        return *rc::gen::element<std::string>("1", "\"x\"", "\"\\u0041\"", "null", "true", "{}",
                                              "[]");
    }
    std::string text;
    const int count = *rc::gen::inRange(0, depth == 3 ? 24 : 4);
    const bool is_object = *rc::gen::inRange(0, 3) != 0;
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += ", ";
        if (is_object) {
            text += "\"" +
                    *rc::gen::element<std::string>("a", "b", "c", "l", "\\u0061", "a/b",
                                                   "m" + std::to_string(i)) +
                    "\": ";
        }
        text += any_value(depth - 1);
    }
    return is_object ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

TEST_CASE("property: a lookup by members finds what a walk finds, in broken texts too") {
    CHECK(rc::check("find", [] {
        const auto body = mutated(any_value(3), *rc::gen::inRange(0, 3), "{}[]\",:1a \\");
        check_same(body, usual_pointers());
    }));
}

TEST_CASE("a member behind those that are remembered is found") {
    std::string body = "{";
    for (int i = 0; i < 100; ++i)
        body += "\"m" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    body += "\"code\":-1003,\"l\":[{\"code\":7}]}";
    const auto reply = with_body(body);
    venue::ReplyView view(reply, {boot_now, t0_s * second, {}});
    std::deque<venue::JsonPointer> pointers;  // they outlive the view's memory of them
    const auto at = [&](std::string_view text) {
        const auto value = view.find(pointers.emplace_back(*venue::JsonPointer::parse(text)));
        return value ? std::string(value->raw) : "-";
    };
    CHECK(at("/m3") == "3");
    CHECK(at("/code") == "-1003");
    CHECK(at("/m99") == "99");
    CHECK(at("/l/0/code") == "7");
    CHECK(at("/m100") == "-");
}

TEST_CASE("of two top members with one name the first that leads there counts") {
    const auto reply = with_body(R"({"a":{},"code":1,"a":{"b":2},"code":3})");
    venue::ReplyView view(reply, {boot_now, t0_s * second, {}});
    const auto code = *venue::JsonPointer::parse("/code");
    const auto nested = *venue::JsonPointer::parse("/a/b");
    CHECK(view.find(code)->raw == "1");
    CHECK(view.find(nested)->raw == "2");
}
