// SPDX-License-Identifier: Apache-2.0
#include "core/retry_units.hpp"

#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

TEST_CASE("U1: a hundred retries empty the retry budget, fifty after timeouts") {
    StateHead head{};
    State state;
    state.head = &head;
    for (const auto& [cost, retries] :
         {std::pair{retry_units::retry, 100}, std::pair{retry_units::retry_after_timeout, 50}}) {
        head.retry_units = retry_units::full;
        int allowed = 0;
        while (allowed < 1'000 && spend_retry_units(state, cost)) ++allowed;
        CHECK(allowed == retries);
        CHECK(head.retry_units == 0);
        CHECK_FALSE(spend_retry_units(state, 1));
    }
}

TEST_CASE("U1: what is too little for a retry stays") {
    StateHead head{};
    State state;
    state.head = &head;
    head.retry_units = 4;
    CHECK_FALSE(spend_retry_units(state, retry_units::retry));
    CHECK(head.retry_units == 4);
    CHECK(return_retry_units(state, retry_units::first_success));
    CHECK(spend_retry_units(state, retry_units::retry));
    CHECK(head.retry_units == 0);
}

TEST_CASE("U2: the retry budget is never more than full, whatever the state claims") {
    StateHead head{};
    State state;
    state.head = &head;
    head.retry_units = retry_units::full - 3;
    CHECK(return_retry_units(state, UINT32_MAX));
    CHECK(head.retry_units == retry_units::full);
    CHECK_FALSE(return_retry_units(state, 5));
    head.retry_units = UINT32_MAX;
    CHECK(spend_retry_units(state, 5));
    CHECK(head.retry_units == retry_units::full - 5);
}

TEST_CASE("in shadow mode a retry is counted, and never refused") {
    StateHead head{};
    State state;
    state.head = &head;
    head.flags = flag_shadow;
    head.retry_units = 7;
    CHECK(spend_retry_units(state, 5));
    CHECK(head.shadow_overruns == 0);
    CHECK(spend_retry_units(state, 5));
    CHECK(head.retry_units == 0);
    CHECK(head.shadow_overruns == 1);
}
