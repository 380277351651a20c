// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/order_id.hpp>

#include <set>
#include <vector>

#include "support/child_process.hpp"
#include "support/limits.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

OrderIdMaker maker_of(const OrderIdRules& rules) {
    return must(OrderIdMaker::make(rules));
}

std::uint64_t hash_of(std::string_view id) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

template <std::size_t processes, std::size_t each>
struct Hashes {
    std::array<std::uint64_t, processes * each> of{};
};

/// Ids of `processes` children forked from one that has made some already.
template <std::size_t processes, std::size_t each>
std::size_t repeats_after_fork() {
    const Shared<Hashes<processes, each>> made;
    const auto maker = maker_of({});
    std::set<std::string> own;
    for (int i = 0; i < 100; ++i) own.insert(must(maker.next()));
    std::vector<ChildProcess> children;
    for (std::size_t p = 0; p < processes; ++p) {
        children.emplace_back([&, p] {
            for (std::size_t i = 0; i < each; ++i) {
                const auto id = maker.next();
                if (!id) return 1;
                made->of[p * each + i] = hash_of(*id);
            }
            return 0;
        });
    }
    for (auto& child : children) REQUIRE(child.wait() == 0);
    auto& of = made->of;
    std::sort(of.begin(), of.end());
    return static_cast<std::size_t>(std::distance(std::unique(of.begin(), of.end()), of.end())) +
           (100 - own.size());
}

}  // namespace

TEST_CASE("E13: ids of sixteen processes forked from one do not repeat") {
    CHECK(repeats_after_fork<16, 10'000>() == 0);
}

TEST_CASE(
    "E14: eight processes of a million ids each, forked after the first were made: no id twice") {
    CHECK(repeats_after_fork<8, 1'000'000>() == 0);
}

TEST_CASE("E13: nothing is kept between ids: each maker, restarted at any time, makes others") {
    std::set<std::string> seen;
    for (int life = 0; life < 100; ++life) {
        const auto maker = maker_of({});  // the clock, a pid or a counter plays no part
        for (int i = 0; i < 100; ++i) seen.insert(must(maker.next()));
    }
    CHECK(seen.size() == 10'000);
}

TEST_CASE("D3: length and characters are the venue's, the prefix a broker's") {
    const std::vector<OrderIdRules> venues{{},
                                           {.charset = "A-Za-z0-9", .most = 18},
                                           {.charset = "a-z0-9", .most = 32, .prefix = "t-"},
                                           {.charset = "0-9a-f", .most = 34, .prefix = "0x"},
                                           {.charset = "0-9", .most = 20},
                                           {.most = 36, .prefix = "x-BROKER1"}};
    for (const auto& rules : venues) {
        const auto maker = maker_of(rules);
        std::set<char> drawn;
        for (int i = 0; i < 500; ++i) {
            const auto id = must(maker.next());
            CHECK(id.size() <= rules.most);
            CHECK(id.starts_with(rules.prefix));
            CHECK(maker.objection(id).empty());
            drawn.insert(id.begin() + static_cast<std::ptrdiff_t>(rules.prefix.size()), id.end());
        }
        CHECK(drawn.size() >= 10);
    }
    CHECK(must(maker_of({.charset = "0-9a-f", .most = 34, .prefix = "0x"}).next()).size() == 34);
    CHECK(maker_of({.prefix = "x-B"}).objection("y-Babc") == "does not begin with 'x-B'");
}

TEST_CASE("D1: rules that leave no room for 64 random bits are refused, with the reason") {
    CHECK_FALSE(OrderIdMaker::make({.charset = "0-9", .most = 19}));
    CHECK(OrderIdMaker::make({.charset = "0-9", .most = 20}));
    CHECK_FALSE(OrderIdMaker::make({.charset = "0-9a-f", .most = 15}));
    CHECK(OrderIdMaker::make({.charset = "0-9a-f", .most = 17}));
    CHECK_FALSE(OrderIdMaker::make({.most = 0}));
    CHECK_FALSE(OrderIdMaker::make({.most = 12, .prefix = "x-BROKER1"}));
    CHECK_FALSE(OrderIdMaker::make({.charset = ""}));
    CHECK_FALSE(OrderIdMaker::make({.charset = "z-a"}));
    CHECK_FALSE(OrderIdMaker::make({.charset = "a b"}));
    CHECK_FALSE(OrderIdMaker::make({.charset = "A"}));
    const auto refused = OrderIdMaker::make({.charset = "0-9", .most = 8});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("an id is as long as 128 bits need, no longer") {
    CHECK(must(maker_of({}).next()).size() == 22);  // of 62 characters
    CHECK(must(maker_of({.charset = "0-9a-f", .most = 100}).next()).size() == 32);
    CHECK(must(maker_of({.charset = "0-9", .most = 100}).next()).size() == 39);
}

TEST_CASE("a UUID has its version and its variant, and another form is objected to") {
    const auto maker = maker_of({.is_uuid = true});
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        const auto id = must(maker.next());
        REQUIRE(id.size() == 36);
        CHECK(id[14] == '4');
        CHECK(std::string("89ab").find(id[19]) != std::string::npos);
        CHECK(maker.objection(id).empty());
        seen.insert(id);
    }
    CHECK(seen.size() == 1'000);
    CHECK(maker.objection("m-1") == "is no UUID");
    CHECK(maker.objection("0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5g") == "is no UUID");
}
