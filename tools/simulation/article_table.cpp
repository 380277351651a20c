// SPDX-License-Identifier: Apache-2.0
#include "simulation/article_table.hpp"

#include "simulation/mean.hpp"
#include "simulation/shared_budget.hpp"
#include "simulation/venue.hpp"

namespace simulation {

namespace {

using ratecoord::LimitDefinition;

constexpr std::uint64_t requests_most = 10'000'000;  // a run without jitter takes 51,490

Workload workload(std::uint32_t clients, const LimitDefinition& limit) {
    Workload all_at_once;
    all_at_once.workers = clients;
    all_at_once.limit = limit;
    return all_at_once;
}

ArticleCell bound_of(const Workload& work) {
    const auto calls = work.successes();
    return {static_cast<double>(calls), 0, earliest_last(work.limit, work.cost, calls)};
}

ArticleCell mean_herd(const Workload& work, Jitter jitter) {
    const BackoffRule rule{.jitter = jitter};
    Mean calls;
    Mean rejected;
    Mean last;
    for (std::uint64_t seed = 0; seed < article_runs; ++seed) {
        const auto run = run_herd(work, rule, seed, requests_most, nullptr).value();
        calls.add(run.requests);
        rejected.add(run.rejected);
        last.add(run.last_success);
    }
    return {calls.value(), rejected.value(), last.value()};
}

// Nothing is random without service time: one run is all of them.
ArticleCell shared(const Workload& work) {
    const auto run = run_shared_budget(work, 0, nullptr).value();
    return {static_cast<double>(run.requests), static_cast<double>(run.rejected), run.last_success};
}

}  // namespace

LimitDefinition article_limit(std::chrono::nanoseconds slack) {
    LimitDefinition limit;
    limit.name = "requests";
    limit.kind = ratecoord::LimitKind::fixed;
    limit.quota = 10;
    limit.window = std::chrono::seconds(1);
    limit.slack = slack;
    return limit;
}

ArticleTable article_table() {
    const auto limit = article_limit(std::chrono::milliseconds(5));
    const auto default_limit = article_limit(LimitDefinition{}.slack);
    ArticleTable table;
    for (std::size_t i = 0; i < article_clients.size(); ++i) {
        const auto work = workload(article_clients[i], limit);
        table.bound[i] = bound_of(work);
        for (const auto jitter :
             {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
            table.jitter[static_cast<std::size_t>(jitter)][i] = mean_herd(work, jitter);
        }
        table.shared[i] = shared(work);
        table.shared_default_slack[i] = shared(workload(article_clients[i], default_limit));
    }
    return table;
}

}  // namespace simulation
