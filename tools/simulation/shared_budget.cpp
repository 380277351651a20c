// SPDX-License-Identifier: Apache-2.0
#include "simulation/shared_budget.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
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

// Of events of one instant, the one that was planned first is first: a worker whose replies take no
// time must not keep the others from their permits.
struct When {
    Instant at = 0;
    std::uint64_t order = 0;

    auto operator<=>(const When&) const = default;
};

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
        for (std::uint32_t i = 0; i < workload.workers; ++i) events_.add(when(0), i);
    }

    Result<Run> run() {
        while (!events_.empty()) {
            const auto event = events_.first();
            auto& worker = workers_[event.worker];
            if (worker.next == Next::arrive) {
                arrive(worker, event.at.at);
                continue;
            }
            const auto answer =
                worker.next == Next::ask
                    ? budget_.reserve(event.worker, workload_.cost, event.at.at)
                    : budget_.confirm(event.worker, worker.reservation, event.at.at);
            if (auto done = follow(worker, answer, event.at.at); !done) {
                return tl::unexpected(done.error());
            }
        }
        return run_;
    }

  private:
    When when(Instant at) { return {at, planned_++}; }

    Result<void> follow(Worker& worker, const Answer& answer, Instant now) {
        switch (answer.verdict) {
            case Verdict::granted:
                worker.next = Next::arrive;
                worker.sent = now;
                worker.valid_until = answer.valid_until;
                events_.move_first(when(now + under_way()));
                return {};
            case Verdict::reserved:
                if (answer.at > horizon) break;
                worker.next = Next::confirm;
                worker.reservation = answer.id;
                events_.move_first(when(answer.at));
                return {};
            default:
                return refused("the calendar gave no permit, though it has room for one of each");
        }
        return refused("the limit gives the last of these calls no permit within 10 years");
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
            events_.move_first(when(worker.sent + service_ns_));
        }
    }

    Instant under_way() {
        return service_ns_ == 0 ? 0
                                : std::llround(random_.unit() * static_cast<double>(service_ns_));
    }

    static tl::unexpected<ratecoord::Error> refused(const char* why) {
        return ratecoord::fail(ratecoord::ErrorCode::invalid_argument, why);
    }

    const Workload& workload_;
    Instant service_ns_;
    PythonRandom random_;
    VirtualBudget budget_;
    Venue venue_;
    Timeline* timeline_;
    std::vector<Worker> workers_;
    EventQueue<When> events_;
    std::uint64_t planned_ = 0;
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
