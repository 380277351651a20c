// SPDX-License-Identifier: Apache-2.0
#include "simulation/plan.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "core/definition.hpp"
#include "core/rule.hpp"
#include "simulation/mean.hpp"
#include "simulation/shared_budget.hpp"
#include "simulation/venue.hpp"

namespace simulation {

namespace {

using ratecoord::ErrorCode;
using ratecoord::Result;

constexpr double seconds_most = 366.0 * 86'400;

tl::unexpected<ratecoord::Error> refused(std::string why) {
    return ratecoord::fail(ErrorCode::invalid_argument, std::move(why));
}

class Sums {
  public:
    void add(const Run& run) {
        requests_.add(run.requests);
        rejected_.add(run.rejected);
        late_.add(run.late);
        last_.add(run.last_success);
    }
    PlanRow row(Timeline timeline) const {
        return {requests_.value(), rejected_.value(),   late_.value(),
                last_.value(),     std::move(timeline), requests_.count()};
    }

  private:
    Mean requests_;
    Mean rejected_;
    Mean late_;
    Mean last_;
};

Result<PlanRow> plan_herd(const PlanRequest& request) {
    Sums sums;
    Timeline timeline;
    std::uint64_t left = request.requests_most;
    for (std::uint64_t i = 0; i < request.runs; ++i) {
        const auto run =
            run_herd(request.workload, request.backoff, request.seed + i, left, &timeline);
        if (!run) {
            return refused("the runs take more than " + std::to_string(request.requests_most) +
                           " calls, or 10 years; give fewer workers, calls or runs");
        }
        left -= run->requests;
        sums.add(*run);
    }
    return sums.row(std::move(timeline));
}

// Nothing is random without service time: one run is all of them.
std::uint64_t shared_runs(const PlanRequest& request) {
    return request.workload.service_time == 0 ? 1 : request.runs;
}

Result<PlanRow> plan_shared(const PlanRequest& request) {
    Sums sums;
    Timeline timeline;
    for (std::uint64_t i = 0; i < shared_runs(request); ++i) {
        const auto run = run_shared_budget(request.workload, request.seed + i, &timeline);
        if (!run) return tl::unexpected(run.error());
        sums.add(*run);
    }
    return sums.row(std::move(timeline));
}

// The limit as the library would keep it for requests of this cost; or why it would not.
Result<ratecoord::core::LimitRecord> record_of(const Workload& workload) {
    auto limit = workload.limit;
    limit.largest_cost = std::max<std::uint64_t>(limit.largest_cost, workload.cost);
    const auto record = ratecoord::core::to_record(limit);
    const auto* error = std::get_if<ratecoord::core::DefinitionError>(&record);
    if (error != nullptr) return refused(error->message);
    return std::get<ratecoord::core::LimitRecord>(record);
}

}  // namespace

Result<Plan> make_plan(const PlanRequest& request) {
    const auto& workload = request.workload;
    const auto record = record_of(workload);
    if (!record) return tl::unexpected(record.error());
    if (workload.successes() > request.requests_most / request.runs) {
        return refused("that is more than " + std::to_string(request.requests_most) +
                       " calls in all; give fewer workers, calls or runs");
    }
    if (workload.successes() * shared_runs(request) > searched_most / workload.workers) {
        return refused(
            "so many workers and calls would take minutes to plan; give fewer, or fewer "
            "runs");
    }
    const auto rule = ratecoord::core::compile(*record);
    Plan plan;
    plan.kept_up_rate =
        static_cast<double>(ratecoord::core::sustained_per_second_milli(rule)) / 1000;
    plan.bound = std::max(earliest_last(workload.limit, workload.cost, workload.successes()),
                          workload.service_time * static_cast<double>(workload.calls - 1));
    if (plan.bound > seconds_most) {
        return refused("even perfectly paced it takes longer than a year; give fewer calls");
    }
    auto herd = plan_herd(request);
    if (!herd) return tl::unexpected(herd.error());
    auto shared = plan_shared(request);
    if (!shared) return tl::unexpected(shared.error());
    plan.herd = *std::move(herd);
    plan.shared = *std::move(shared);
    return plan;
}

}  // namespace simulation
