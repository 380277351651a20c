// SPDX-License-Identifier: Apache-2.0
#include "herd/run.hpp"

#include <optional>
#include <ratecoord/budget.hpp>
#include <system_error>

#include "herd/barrier.hpp"
#include "herd/instant.hpp"
#include "herd/merge.hpp"
#include "herd/worker.hpp"
#include "herd/workers.hpp"

namespace herd {

namespace {

constexpr std::int64_t longest_attach_ns = 60 * second_ns;

[[noreturn]] void throw_error(const std::string& what, const ratecoord::Error& error) {
    throw RunError(what + ": " + error.message,
                   error.hint.empty() ? "see 'ratectl doctor'" : error.hint);
}

// The limits of --limit, if there are any, must be those in force: a herd that measures another
// budget than the one it was told of would mislead.
std::optional<ratecoord::Budget> open_budget(const Options& options) {
    const BudgetRule& rule = options.budget;
    if (!options.has_budget() || rule.limits.empty()) return std::nullopt;
    ratecoord::OpenOptions how;
    how.label = "herd";
    how.clients = rule.clients;
    how.reservations = rule.reservations;
    how.full = rule.full;
    auto budget = ratecoord::Budget::open(rule.name, rule.limits, how);
    if (!budget) throw_error("cannot open the budget '" + rule.name + "'", budget.error());
    if (!budget->conflicts().empty()) {
        throw RunError("cannot use the budget '" + rule.name + "': " + budget->conflicts().front(),
                       "leave --limit out, or change the budget with 'ratectl set'");
    }
    return std::optional<ratecoord::Budget>(*std::move(budget));
}

// Threads are made and connections set up in this time, so that none of them is late.
std::int64_t lead_ns(const Options& options) {
    return second_ns / 5 + std::int64_t{options.workers} * options.threads * second_ns / 1'000;
}

Instant choose_start(const Options& options) {
    const Instant present = now();
    const std::int64_t lead = lead_ns(options);
    if (options.start_window_ns > 0) return next_boundary(present, options.start_window_ns, lead);
    return {present.boot_ns + lead, present.utc_ns + lead};
}

void explain_failed_start(const Options& options, WorkerLogs& logs) {
    const Summary summary = logs.merge(options.workers, options.threads, boot_now_ns());
    if (!summary.errors.empty()) {
        throw RunError("cannot start: " + summary.errors.begin()->first,
                       "all workers must attach before the first request is sent");
    }
    throw RunError("cannot start: a worker ended, or they were not ready in time",
                   "try fewer --workers or --threads");
}

Summary run(const Options& options, Barrier& barrier, WorkerLogs& logs, Workers& workers) {
    const std::int64_t end_of_time = boot_now_ns() + options.run_for_ns;
    // The workers are forked before the library is used, and attach once the budget is there.
    const auto budget = open_budget(options);
    if (!barrier.tell_to_open(options.workers) ||
        !workers.wait_ready(barrier, boot_now_ns() + longest_attach_ns)) {
        workers.end(barrier);
        explain_failed_start(options, logs);
    }
    const Instant start = choose_start(options);
    barrier.tell_to_start(options.workers, start.boot_ns);
    const Ended ended = workers.wait_ended(end_of_time);
    workers.end(barrier);
    Summary summary = logs.merge(options.workers, options.threads, start.boot_ns);
    summary.started_utc_ns = start.utc_ns;
    summary.failed_workers = workers.count().failed;
    summary.cut_short = ended != Ended::by_themselves;
    return summary;
}

}  // namespace

Summary run_herd(const Options& options) try {
    WorkerLogs logs(options.log_file);
    Workers workers;
    Barrier barrier;
    workers.start(options.workers, barrier, [&](unsigned worker) {
        return run_worker(options, worker, barrier, logs.path_of(worker));
    });
    return run(options, barrier, logs, workers);
} catch (const std::system_error& error) {
    throw RunError(std::string("cannot run: ") + error.what(),
                   "check the path of --log and the limits on processes and files");
}

}  // namespace herd
