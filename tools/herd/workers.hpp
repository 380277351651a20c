// SPDX-License-Identifier: Apache-2.0
//
// The worker processes: started together, watched, and gone when this object is.
//
// PROMISE  W1  Workers die with the parent (PR_SET_PDEATHSIG), and none outlives this object.
//          W2  Only processes started here are ever signalled, by their ids.
// SHARING  One thread; made while the process has no other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>

#include "herd/barrier.hpp"

namespace herd {

enum class Ended : std::uint8_t { by_themselves, by_signal, by_time };

struct WorkerCount {
    unsigned ready = 0;
    unsigned failed = 0;  // ended with an error or by a signal
};

class Workers {
  public:
    // Blocks SIGCHLD, SIGINT and SIGTERM: they are waited for. Throws std::system_error.
    Workers();
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // Forks `count` processes that run `body(worker)` and exit with what it returns.
    void start(unsigned count, Barrier& barrier, const std::function<int(unsigned)>& body);

    // Waits until all are ready; false if one failed, the time is over or a signal came.
    bool wait_ready(Barrier& barrier, std::int64_t until_ns);
    // Waits until all have ended.
    Ended wait_ended(std::int64_t until_ns);
    // Ends those that still run: stop, then SIGTERM, then SIGKILL, with time between them.
    void end(Barrier& barrier);

    const WorkerCount& count() const { return count_; }

  private:
    // One round of waiting. Sets interrupted_ on SIGINT and SIGTERM.
    void wait_round(int other_fd, std::int64_t until_ns);
    void reap();
    void signal_all(int signal) const;

    int signal_fd_ = -1;
    bool interrupted_ = false;
    std::map<pid_t, unsigned> running_;
    WorkerCount count_;
};

}  // namespace herd
