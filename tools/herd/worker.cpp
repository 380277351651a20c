// SPDX-License-Identifier: Apache-2.0
#include "herd/worker.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "herd/budget_gate.hpp"
#include "herd/caller.hpp"
#include "herd/instant.hpp"
#include "herd/private_gate.hpp"

namespace herd {

namespace {

ratecoord::Budget attach(const Options& options, unsigned worker) {
    ratecoord::OpenOptions how;
    how.label = label_of(worker);
    how.profile = options.budget.profile;
    auto budget = ratecoord::Budget::attach(options.budget.name, how);
    if (budget) return *std::move(budget);
    const auto& error = budget.error();
    throw std::runtime_error("cannot attach to '" + options.budget.name + "': " + error.message +
                             (error.hint.empty() ? "" : "; " + error.hint));
}

// What the threads of a worker share.
struct Shared {
    Shared(const Options& options, unsigned worker) {
        start_http();
        if (options.has_budget()) {
            budget.emplace(attach(options, worker));
        } else if (options.private_loop.bucket) {
            bucket.emplace(*options.private_loop.bucket, boot_now_ns());
        }
    }

    std::unique_ptr<Gate> gate(const Options& options, Place place, int stop_fd, CallLog& log) {
        if (budget) return std::make_unique<BudgetGate>(*budget, options, place, log);
        return std::make_unique<PrivateGate>(options, bucket ? &*bucket : nullptr,
                                             seed_of(options, place), stop_fd);
    }

    std::optional<ratecoord::Budget> budget;
    std::optional<ProcessBucket> bucket;
};

struct Hand {
    std::unique_ptr<Gate> gate;
    std::unique_ptr<Caller> caller;
};

bool work(const Options& options, unsigned worker, Barrier& barrier, CallLog& log) {
    Shared shared(options, worker);
    std::vector<Hand> hands;
    for (unsigned thread = 0; thread < options.threads; ++thread) {
        const Place place{worker, thread};
        Hand hand;
        hand.gate = shared.gate(options, place, barrier.stop_fd(), log);
        hand.caller = std::make_unique<Caller>(options, place, barrier.stop_fd(), *hand.gate, log);
        hands.push_back(std::move(hand));
    }
    if (!barrier.tell_ready()) return false;
    const auto start = barrier.wait_for_start();
    if (!start) return false;
    std::atomic<bool> well{true};
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < hands.size(); ++i) {
        threads.emplace_back([&, i] {
            if (!hands[i].caller->run(*start)) well.store(false, std::memory_order_relaxed);
        });
    }
    if (!hands[0].caller->run(*start)) well.store(false, std::memory_order_relaxed);
    for (std::thread& thread : threads) thread.join();
    return well.load(std::memory_order_relaxed) && log.complete();
}

}  // namespace

int run_worker(const Options& options, unsigned worker, Barrier& barrier,
               const std::string& log_path) {
    try {
        CallLog log(log_path);
        if (!barrier.wait_for_open()) return 1;
        try {
            return work(options, worker, barrier, log) ? 0 : 1;
        } catch (const std::exception& error) {
            log.error({worker, 0}, error.what());
        }
    } catch (const std::exception&) {
        // Without a log there is nowhere to say it; the parent reports the exit code.
    }
    return 1;
}

}  // namespace herd
