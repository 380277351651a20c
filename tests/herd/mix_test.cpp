// SPDX-License-Identifier: Apache-2.0
#include "herd/mix.hpp"

#include <map>

#include "support/catch.hpp"

using namespace herd;

namespace {

const std::vector<RequestKind> kinds{
    {{{"weight", 1}}, 50}, {{{"weight", 5}}, 30}, {{{"weight", 2}, {"orders", 1}}, 20}};

}  // namespace

TEST_CASE("costs are spelled for query, header and log") {
    CHECK(as_query(kinds[2].cost) == "weight=2&orders=1");
    CHECK(as_header(kinds[2].cost) == "weight=2,orders=1");
    CHECK(as_json(kinds[2].cost) == R"({"weight":2,"orders":1})");
}

TEST_CASE("draws come out in their shares and repeat with the seed") {
    Mix mix(kinds, 3);
    Mix again(kinds, 3);
    std::map<std::size_t, int> drawn;
    for (int i = 0; i < 10'000; ++i) {
        const std::size_t kind = mix.draw();
        CHECK(kind == again.draw());
        ++drawn[kind];
    }
    CHECK(drawn[0] > 4'700);
    CHECK(drawn[0] < 5'300);
    CHECK(drawn[1] > 2'700);
    CHECK(drawn[1] < 3'300);
    CHECK(drawn[2] > 1'700);
    CHECK(drawn[2] < 2'300);
}

TEST_CASE("kinds that belong to workers come out in their shares over all of them") {
    std::map<std::size_t, int> workers;
    for (unsigned worker = 0; worker < 40; ++worker) ++workers[kind_of_worker(kinds, worker, 40)];
    CHECK(workers[0] == 20);
    CHECK(workers[1] == 12);
    CHECK(workers[2] == 8);
}

TEST_CASE("keys go round over the workers") {
    const KeyRing ring{"orders", {"acct:a", "acct:b"}};
    CHECK(ring.of_worker(0) == "acct:a");
    CHECK(ring.of_worker(1) == "acct:b");
    CHECK(ring.of_worker(2) == "acct:a");
    CHECK(ring_of({ring}, "orders")->keys.size() == 2);
    CHECK(ring_of({ring}, "weight") == nullptr);
}
