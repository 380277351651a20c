// SPDX-License-Identifier: Apache-2.0
//
// What happens next: one event at most for each worker.
//
// PROMISE  The first by (time, worker), as a heap of such pairs in Python gives them.
// SHARING  One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulation {

template <class Time>
class EventQueue {
  public:
    struct Event {
        Time at;
        std::uint32_t worker;

        bool operator<(const Event& other) const {
            return at != other.at ? at < other.at : worker < other.worker;
        }
    };

    void add(Time at, std::uint32_t worker) {
        events_.push_back({at, worker});
        std::push_heap(events_.begin(), events_.end(),
                       [](const Event& a, const Event& b) { return b < a; });
    }

    bool empty() const { return events_.empty(); }
    const Event& first() const { return events_.front(); }

    /// The first event's worker has another one, at `at`. Half the work of a pop and a push.
    void move_first(Time at) {
        events_.front().at = at;
        sink();
    }
    void drop_first() {
        events_.front() = events_.back();
        events_.pop_back();
        if (!events_.empty()) sink();
    }

  private:
    void sink() {
        const Event sinking = events_.front();
        std::size_t hole = 0;
        for (std::size_t child = 1; child < events_.size(); child = 2 * hole + 1) {
            if (child + 1 < events_.size() && events_[child + 1] < events_[child]) ++child;
            if (!(events_[child] < sinking)) break;
            events_[hole] = events_[child];
            hole = child;
        }
        events_[hole] = sinking;
    }

    std::vector<Event> events_;  // a binary heap
};

}  // namespace simulation
