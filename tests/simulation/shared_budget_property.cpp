// SPDX-License-Identifier: Apache-2.0
//
// What holds for any limit, any workload and any seed.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "simulation/plan.hpp"
#include "simulation/shared_budget.hpp"
#include "simulation/venue.hpp"
#include "simulation/work.hpp"
#include "support/catch.hpp"

using namespace simulation;
using namespace simulation_test;
using ratecoord::LimitDefinition;
using ratecoord::LimitKind;

namespace {

template <class Check>
void require(const char* claim, Check&& check) {
    INFO(claim);
    CHECK(rc::check(claim, std::forward<Check>(check)));
}

std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    // The whole range from the first try on: small numbers are no simpler here.
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(least, most + 1));
}

LimitDefinition any_limit() {
    const auto kind = *rc::gen::element(LimitKind::fixed, LimitKind::rolling, LimitKind::bucket,
                                        LimitKind::spacing);
    const auto quota = kind == LimitKind::spacing ? 1 : number(1, 40);
    auto any = limit(kind, quota, std::chrono::milliseconds(number(20, 4000)));
    const auto most = kind == LimitKind::bucket ? 60 : quota;
    any.burst = number(0, most);
    any.slack = std::chrono::milliseconds(number(5, 400));
    any.spread = kind == LimitKind::fixed && number(0, 1) == 1;
    any.reserve_percent =
        kind == LimitKind::spacing ? 0 : static_cast<std::uint32_t>(number(0, 3) * 20);
    if (number(0, 3) == 0) any.per = "account";
    return any;
}

// A limit that the library keeps, for requests that are under way no longer than its slack.
Workload any_workload() {
    auto any = work(static_cast<std::uint32_t>(number(1, 30)), any_limit(),
                    static_cast<std::uint32_t>(number(1, 6)));
    any.cost = static_cast<std::uint32_t>(number(1, 3));
    const auto slack_ms = static_cast<std::uint64_t>(any.limit.slack.count() / 1'000'000);
    any.service_time = static_cast<double>(number(0, slack_ms)) / 1000;
    return any;
}

double bound_of(const Workload& workload) {
    return std::max(earliest_last(workload.limit, workload.cost, workload.successes()),
                    workload.service_time * (workload.calls - 1));
}

}  // namespace

TEST_CASE("P6: the shared budget is never rejected, for any limit, workload and seed") {
    require("no rejection, nothing late, every call made, never before the bound", [] {
        const auto workload = any_workload();
        // Half of a fixed limit's slack is kept for the difference of two clocks.
        const auto under_way = std::chrono::nanoseconds(std::llround(workload.service_time * 1e9));
        const bool in_time =
            workload.limit.kind != LimitKind::fixed || 2 * under_way <= workload.limit.slack;
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        for (std::uint64_t i = 0; i < 10; ++i) {
            const auto run = run_shared_budget(workload, seed + i, nullptr);
            RC_PRE(run.has_value());
            RC_ASSERT(run->rejected == 0u);
            RC_ASSERT(run->late == 0u || !in_time);
            RC_ASSERT(run->requests == workload.successes());
            RC_ASSERT(run->last_success >= bound_of(workload) - 1e-6);
        }
    });
}

TEST_CASE("P9: a plan depends on its request alone, and no herd beats the bound") {
    require("same figures again; every call made; never before the bound", [] {
        PlanRequest request;
        request.workload = any_workload();
        request.backoff.jitter =
            *rc::gen::element(Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated);
        request.seed = *rc::gen::arbitrary<std::uint32_t>();
        request.runs = 2;
        const auto plan = make_plan(request);
        RC_PRE(plan.has_value());
        const auto again = make_plan(request);
        RC_ASSERT(plan->herd.requests == again->herd.requests);
        RC_ASSERT(plan->herd.last_success == again->herd.last_success);
        RC_ASSERT(plan->shared.last_success == again->shared.last_success);
        RC_ASSERT(plan->shared.rejected == 0.0);
        RC_ASSERT(plan->herd.requests - plan->herd.rejected ==
                  static_cast<double>(request.workload.successes()));
        RC_ASSERT(plan->herd.last_success >= plan->bound - 1e-6);
    });
}
