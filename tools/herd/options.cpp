// SPDX-License-Identifier: Apache-2.0
#include "herd/options.hpp"

#include <algorithm>

#include "herd/command_line.hpp"
#include "herd/option_values.hpp"

namespace herd {

namespace {

constexpr std::uint64_t most_workers = 2'000;
constexpr std::uint64_t most_threads = 256;

[[noreturn]] void contradict(const std::string& message, const std::string& hint) {
    throw UsageError("cannot read the command line: " + message, hint);
}

void read_length(const RawOptions& raw, Options& options) {
    options.workers = static_cast<unsigned>(read_count("--workers", raw.workers, 1, most_workers));
    options.threads = static_cast<unsigned>(read_count("--threads", raw.threads, 1, most_threads));
    if (!raw.duration.empty()) {
        options.duration_ns = read_span_ns("--duration", raw.duration);
        options.calls = 0;
    }
    if (!raw.calls.empty()) options.calls = read_count("--calls", raw.calls, 1, 1'000'000'000);
    if (!raw.start_at_window.empty()) {
        options.start_window_ns = read_span_ns("--start-at-window", raw.start_at_window);
    }
    options.timeout_ns = read_span_ns("--timeout", raw.timeout);
    options.reply_timeout_ns = read_span_ns("--reply-timeout", raw.reply_timeout);
    options.run_for_ns = read_span_ns("--run-for", raw.run_for);
}

void read_budget(const RawOptions& raw, Options& options) {
    BudgetRule& budget = options.budget;
    budget.name = raw.budget;
    for (const std::string& text : raw.limits) budget.limits.push_back(read_limit(text));
    const auto workers = std::uint64_t{options.workers};
    const auto waiting = workers * options.threads;
    // One slot more than workers for whoever looks on; an eighth of the calendar is for the
    // critical lane, and a quarter of it is the most that one client may hold.
    budget.clients = static_cast<std::uint32_t>(
        raw.clients.empty() ? std::max<std::uint64_t>(128, workers + 8)
                            : read_count("--clients", raw.clients, 1, 100'000));
    budget.reservations = static_cast<std::uint32_t>(
        raw.reservations.empty()
            ? std::max<std::uint64_t>({512, waiting + waiting / 4, 4ULL * options.threads})
            : read_count("--reservations", raw.reservations, 1, 1'000'000));
    budget.full = raw.full;
    budget.log_moves = raw.log_moves;
    budget.profile = raw.profile;
}

void read_private_loop(const RawOptions& raw, Options& options) {
    PrivateRule& loop = options.private_loop;
    loop.retries = raw.retry != "off";
    if (!raw.retry.empty() && loop.retries) {
        const auto jitter = jitter_named(raw.retry);
        if (!jitter) {
            refuse("--retry", raw.retry, "it is none of full, equal, decorrelated, none and off");
        }
        loop.backoff.jitter = *jitter;
    }
    if (!raw.base.empty()) loop.backoff.base_ns = read_seconds_ns("--base", raw.base);
    if (!raw.cap.empty()) loop.backoff.cap_ns = read_seconds_ns("--cap", raw.cap);
    constexpr std::int64_t day_ns = 86'400'000'000'000;
    if (loop.backoff.cap_ns > day_ns) refuse("--cap", raw.cap, "it must be at most 1d");
    if (loop.backoff.base_ns > loop.backoff.cap_ns) {
        refuse("--base", raw.base.empty() ? "0.5" : raw.base, "it is longer than --cap");
    }
    loop.obeys_retry_after = raw.obey_retry_after;
    if (!raw.private_bucket.empty()) loop.bucket = read_private_bucket(raw.private_bucket);
}

void check_who_paces(const RawOptions& raw) {
    const bool budget_only = !raw.limits.empty() || raw.full || raw.log_moves ||
                             !raw.profile.empty() || !raw.clients.empty() ||
                             !raw.reservations.empty();
    const bool private_only = !raw.retry.empty() || !raw.base.empty() || !raw.cap.empty() ||
                              raw.obey_retry_after || !raw.private_bucket.empty();
    if (raw.budget.empty() && !raw.no_budget) {
        contradict("neither --budget nor --no-budget is given",
                   "name a budget, or say --no-budget for a private retry loop");
    }
    if (!raw.budget.empty() && raw.no_budget) {
        contradict("--budget and --no-budget exclude each other", "leave one of them out");
    }
    if (raw.no_budget && budget_only) {
        contradict(
            "--limit, --clients, --reservations, --full, --profile and --log-moves need --budget",
            "leave them out, or name a budget");
    }
    if (!raw.no_budget && private_only) {
        contradict("the private retry loop's options need --no-budget",
                   "with a budget nothing backs off on its own: leave them out");
    }
    if (raw.limits.empty() && (raw.full || !raw.clients.empty() || !raw.reservations.empty())) {
        contradict("--full, --clients and --reservations say how a budget is created",
                   "add a --limit, or leave them out");
    }
}

void read_requests(const RawOptions& raw, Options& options) {
    if (!raw.mix.empty() && !raw.costs.empty()) {
        contradict("--cost and --mix exclude each other", "put the cost into the mix");
    }
    if (!raw.mix.empty()) {
        options.kinds = read_mix(raw.mix);
    } else {
        const std::vector<std::string> plain{"weight=1"};
        options.kinds = {{read_costs("--cost", raw.costs.empty() ? plain : raw.costs), 1}};
    }
    if (raw.mix_per != "call" && raw.mix_per != "worker") {
        refuse("--mix-per", raw.mix_per, "it is neither call nor worker");
    }
    options.one_kind_per_worker = raw.mix_per == "worker";
    for (const std::string& text : raw.keys) {
        KeyRing ring = read_keys(text);
        if (ring_of(options.keys, ring.limit) != nullptr) {
            refuse("--keys", text, "the limit is named twice");
        }
        options.keys.push_back(std::move(ring));
    }
    options.label_header = read_header("--label-header", raw.label_header);
    options.cost_header = read_header("--cost-header", raw.cost_header);
    options.key_header = read_header("--key-header", raw.key_header);
    options.cost_in_query = raw.cost_in_query;
}

}  // namespace

Options read_options(int argc, const char* const* argv) {
    const RawOptions raw = read_command_line(argc, argv);
    Options options;
    check_who_paces(raw);
    options.venue = read_venue(raw.venue);
    read_length(raw, options);
    read_budget(raw, options);
    read_private_loop(raw, options);
    read_requests(raw, options);
    options.seed = read_count("--seed", raw.seed, 0, UINT64_MAX);
    options.log_file = raw.log;
    options.json = raw.json;
    return options;
}

}  // namespace herd
