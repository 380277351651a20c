// SPDX-License-Identifier: Apache-2.0
#include "simulation/plan.hpp"

#include "simulation/work.hpp"
#include "support/catch.hpp"

using namespace simulation;
using namespace simulation_test;
using namespace std::chrono_literals;
using ratecoord::LimitKind;

namespace {

PlanRequest request_of(const Workload& workload, std::uint64_t runs = 20) {
    PlanRequest request;
    request.workload = workload;
    request.runs = runs;
    return request;
}

std::string refusal(const PlanRequest& request) {
    const auto plan = make_plan(request);
    return plan ? "it was planned" : plan.error().message;
}

}  // namespace

TEST_CASE("P3: a plan of the article's workload is the article's row") {
    auto request = request_of(work(100, limit(LimitKind::fixed, 10, 1s)), 200);
    const auto plan = make_plan(request).value();
    CHECK(plan.bound == 9);
    CHECK(plan.herd.requests == 488.145);
    CHECK(plan.herd.last_success == 0x1.61fb7f16593ddp+4);
    CHECK(plan.herd.runs == 200);
    CHECK(plan.shared.requests == 100);
    CHECK(plan.shared.last_success == 9.25);  // the default slack
    CHECK(plan.shared.runs == 1);             // nothing is random in it
    CHECK(plan.kept_up_rate == 10);
}

TEST_CASE("a plan begins at its seed and takes those that follow") {
    auto request = request_of(work(100, limit(LimitKind::fixed, 10, 1s)), 1);
    request.seed = 2;
    const auto plan = make_plan(request).value();
    CHECK(plan.herd.requests == 490);
    request.seed = 1;
    request.runs = 2;
    CHECK(make_plan(request).value().herd.requests == (494 + 490) / 2.0);
}

TEST_CASE("replies bound a plan where the limit does not") {
    const auto plan = make_plan(request_of(work(2, limit(LimitKind::fixed, 1000, 1s), 11, 0.1)));
    CHECK(plan.value().bound == Approx(1.0));
}

TEST_CASE("P10: what cannot be planned in reasonable time is refused") {
    CHECK_THAT(refusal(request_of(work(10'000, limit(LimitKind::fixed, 10, 1s), 1'000'000))),
               Catch::Contains("more than 100000000 calls in all"));
    CHECK_THAT(refusal(request_of(work(100, limit(LimitKind::fixed, 1, 240h), 1))),
               Catch::Contains("longer than a year"));
    CHECK_THAT(refusal(request_of(work(10'000, limit(LimitKind::fixed, 10, 1s), 5), 1)),
               Catch::Contains("minutes to plan"));
    // Both runs of 640 calls, and all but the last one of the second.
    auto patient = request_of(work(100, limit(LimitKind::fixed, 10, 1s)), 2);
    patient.backoff.jitter = Jitter::none;
    patient.requests_most = 1280;
    CHECK(make_plan(patient));
    patient.requests_most = 1279;
    CHECK_THAT(refusal(patient), Catch::Contains("the runs take more than 1279 calls"));
}

TEST_CASE("a limit or a cost that can never be kept is refused first") {
    CHECK_THAT(refusal(request_of(work(10, limit(LimitKind::rolling, 0, 1s)))),
               Catch::Contains("quota is 0"));
    auto large = work(10, limit(LimitKind::rolling, 10, 1s, 2));
    large.cost = 3;
    CHECK_THAT(refusal(request_of(large)), Catch::Contains("3 can never fit"));
}
