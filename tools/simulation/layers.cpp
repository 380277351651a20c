// SPDX-License-Identifier: Apache-2.0
#include "simulation/layers.hpp"

#include <utility>
#include <vector>

#include "core/retry_units.hpp"
#include "simulation/event_queue.hpp"

namespace simulation {

namespace {

struct Layer {
    std::uint32_t retries = 0;
    Backoff backoff;
};

class Failing {
  public:
    Failing(const Storm& storm, std::uint32_t price)
        : storm_(storm),
          price_(price),
          random_(storm.seed),
          workers_(storm.workers, Layers(storm.layers, Layer{0, Backoff(storm.backoff)})) {
        head_.retry_units = ratecoord::retry_units::full;
        for (std::uint32_t i = 0; i < storm.workers; ++i) requests_.add(0, i);
    }

    StormRun run() {
        while (!requests_.empty()) {
            const auto request = requests_.first();
            ++run_.requests;
            run_.last_request = request.at;
            run_.timeline.add(request.at, false);
            if (const auto wait = next_wait(workers_[request.worker])) {
                requests_.move_first(request.at + storm_.service_time + *wait);
            } else {
                requests_.drop_first();
            }
        }
        return std::move(run_);
    }

  private:
    using Layers = std::vector<Layer>;  // the one that sends first

    // The innermost layer that has a retry left takes it, and those below begin anew. Each of them
    // asks the budget by itself: none knows what the others were told.
    std::optional<double> next_wait(Layers& layers) {
        for (auto layer = layers.begin(); layer != layers.end(); ++layer) {
            if (layer->retries == storm_.retries) continue;
            if (!draw()) continue;
            ++layer->retries;
            for (auto below = layers.begin(); below != layer; ++below) {
                *below = Layer{0, Backoff(storm_.backoff)};
            }
            return layer->backoff.next(storm_.backoff, random_);
        }
        return std::nullopt;
    }

    bool draw() {
        ratecoord::core::State state{&head_, {}, {}, {}};
        if (ratecoord::core::spend_retry_units(state, price_)) return true;
        ++run_.retries_refused;
        return false;
    }

    const Storm& storm_;
    std::uint32_t price_;
    ratecoord::core::StateHead head_{};
    PythonRandom random_;
    std::vector<Layers> workers_;
    EventQueue<double> requests_;
    StormRun run_;
};

}  // namespace

std::optional<std::uint64_t> Storm::requests_without_budget() const {
    std::uint64_t requests = workers;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        if (__builtin_mul_overflow(requests, std::uint64_t{retries} + 1, &requests)) {
            return std::nullopt;
        }
    }
    return requests;
}

StormRun run_storm(const Storm& storm, std::uint32_t price) {
    return Failing(storm, price).run();
}

}  // namespace simulation
