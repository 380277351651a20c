// SPDX-License-Identifier: Apache-2.0
#include "simulation/shared_budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "simulation/event_queue.hpp"
#include "simulation/venue.hpp"
#include "simulation/virtual_budget.hpp"

namespace simulation {

namespace {

using ratecoord::Result;
using ratecoord::core::Answer;
using ratecoord::core::Instant;
using ratecoord::core::Verdict;

// Well before the end of the core's clock (18 years), at which a reservation would never come due.
constexpr Instant horizon = 10 * ratecoord::core::year_ns;

enum class Next : std::uint8_t { ask, confirm, arrive };

struct Worker {
    Next next = Next::ask;
    std::uint64_t reservation = 0;
    Instant sent = 0;
    Instant valid_until = 0;
    std::uint32_t successes = 0;
};

class Shared {
  public:
    Shared(const Workload& workload, std::uint64_t seed, VirtualBudget budget, Timeline* timeline)
        : workload_(workload),
          service_ns_(std::llround(workload.service_time * 1e9)),
          random_(seed),
          budget_(std::move(budget)),
          venue_(workload.limit, workload.cost),
          timeline_(timeline),
          workers_(workload.workers) {
        for (std::uint32_t i = 0; i < workload.workers; ++i) events_.add(0, i);
    }

    Result<Run> run() {
        while (!events_.empty()) {
            const auto event = events_.first();
            auto& worker = workers_[event.worker];
            if (worker.next == Next::arrive) {
                arrive(worker, event.at);
                continue;
            }
            const auto answer = worker.next == Next::ask
                                    ? budget_.reserve(event.worker, workload_.cost, event.at)
                                    : budget_.confirm(event.worker, worker.reservation, event.at);
            if (!follow(worker, answer, event.at)) return impossible();
        }
        return run_;
    }

  private:
    // False where no permit ever comes.
    bool follow(Worker& worker, const Answer& answer, Instant now) {
        switch (answer.verdict) {
            case Verdict::granted:
                worker.next = Next::arrive;
                worker.sent = now;
                worker.valid_until = answer.valid_until;
                events_.move_first(now + under_way());
                return true;
            case Verdict::reserved:
                if (answer.at > horizon) return false;
                worker.next = Next::confirm;
                worker.reservation = answer.id;
                events_.move_first(answer.at);
                return true;
            default:
                return false;
        }
    }

    void arrive(Worker& worker, Instant now) {
        const double at = static_cast<double>(now) / 1e9;
        const bool admitted = venue_.admit(at);
        if (timeline_ != nullptr) timeline_->add(at, admitted);
        ++run_.requests;
        if (now > worker.valid_until) ++run_.late;
        if (admitted) {
            run_.last_success = at;
            ++worker.successes;
        } else {
            ++run_.rejected;
        }
        worker.next = Next::ask;
        if (worker.successes == workload_.calls) {
            events_.drop_first();
        } else {
            events_.move_first(worker.sent + service_ns_);
        }
    }

    Instant under_way() {
        return service_ns_ == 0 ? 0
                                : std::llround(random_.unit() * static_cast<double>(service_ns_));
    }

    static tl::unexpected<ratecoord::Error> impossible() {
        return ratecoord::fail(ratecoord::ErrorCode::invalid_argument,
                               "the limit gives the last of these calls no permit within 10 years");
    }

    const Workload& workload_;
    Instant service_ns_;
    PythonRandom random_;
    VirtualBudget budget_;
    Venue venue_;
    Timeline* timeline_;
    std::vector<Worker> workers_;
    EventQueue<Instant> events_;
    Run run_;
};

}  // namespace

Result<Run> run_shared_budget(const Workload& workload, std::uint64_t seed, Timeline* timeline) {
    auto limit = workload.limit;
    limit.largest_cost = std::max<std::uint64_t>(limit.largest_cost, workload.cost);
    auto budget = VirtualBudget::create(limit, workload.workers);
    if (!budget) return tl::unexpected(budget.error());
    return Shared(workload, seed, *std::move(budget), timeline).run();
}

}  // namespace simulation
