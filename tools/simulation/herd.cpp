// SPDX-License-Identifier: Apache-2.0
#include "simulation/herd.hpp"

#include <vector>

#include "simulation/event_queue.hpp"
#include "simulation/venue.hpp"

namespace simulation {

namespace {

constexpr double longest = 10 * 366 * 86'400.0;

struct Worker {
    Backoff backoff;
    double sent = 0;
    std::uint32_t successes = 0;
};

class Herd {
  public:
    Herd(const Workload& workload, const BackoffRule& rule, std::uint64_t seed)
        : workload_(workload),
          rule_(rule),
          random_(seed),
          venue_(workload.limit, workload.cost),
          workers_(workload.workers, Worker{Backoff(rule)}) {
        for (std::uint32_t i = 0; i < workload.workers; ++i) arrivals_.add(under_way(), i);
    }

    std::optional<Run> run(std::uint64_t most, Timeline* timeline) {
        Run run;
        while (!arrivals_.empty()) {
            const auto arrival = arrivals_.first();
            if (++run.requests > most || arrival.at > longest) return std::nullopt;
            const bool admitted = venue_.admit(arrival.at);
            if (timeline != nullptr) timeline->add(arrival.at, admitted);
            if (admitted) {
                run.last_success = arrival.at;
                go_on(workers_[arrival.worker]);
            } else {
                ++run.rejected;
                auto& worker = workers_[arrival.worker];
                send(worker, reply(worker) + worker.backoff.next(rule_, random_));
            }
        }
        return run;
    }

  private:
    double under_way() {
        return workload_.service_time == 0 ? 0 : random_.uniform(0, workload_.service_time);
    }
    double reply(const Worker& worker) const { return worker.sent + workload_.service_time; }

    void go_on(Worker& worker) {
        worker.backoff = Backoff(rule_);
        if (++worker.successes == workload_.calls) {
            arrivals_.drop_first();
        } else {
            send(worker, reply(worker));
        }
    }

    void send(Worker& worker, double at) {
        worker.sent = at;
        arrivals_.move_first(at + under_way());
    }

    const Workload& workload_;
    const BackoffRule& rule_;
    PythonRandom random_;
    Venue venue_;
    std::vector<Worker> workers_;
    EventQueue<double> arrivals_;  // at the venue
};

}  // namespace

std::optional<Run> run_herd(const Workload& workload, const BackoffRule& backoff,
                            std::uint64_t seed, std::uint64_t most, Timeline* timeline) {
    return Herd(workload, backoff, seed).run(most, timeline);
}

}  // namespace simulation
