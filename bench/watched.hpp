// SPDX-License-Identifier: Apache-2.0
//
// A coordinatord, and all who look at it at once.
//
// PROMISE  What was started here is ended with its object. Every wait is bounded.
// NEEDS    A Stage that lives, for the directory.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <thread>

#include "stage.hpp"

namespace bench {

/// The limits of roomy_limits(3) as a profile, and a daemon's configuration that names budgets of it.
class DaemonPlace {
  public:
    /// It looks after the budget `name`, which exists; `more` is the text of limits it has besides.
    DaemonPlace(const Stage& stage, const std::string& name, const std::string& more = {});

    std::string config() const { return directory_ + "/coordinatord.toml"; }
    std::string socket() const { return directory_ + "/door"; }

  private:
    std::string directory_;
};

class Daemon {
  public:
    explicit Daemon(const DaemonPlace& place);
    ~Daemon() { kill(); }
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    /// Returns once it answers at its door.
    void wait_until_ready() const;
    void kill();
    double processor_seconds() const;
    /// Of /proc/PID/status, in MB: VmRSS now, VmHWM at most so far.
    double memory_mb(const std::string& field) const;

  private:
    std::string socket_;
    pid_t pid_ = -1;
};

/// A scrape a second, three viewers of the page's events, and a `ratectl top` at 10 Hz.
class Audience {
  public:
    explicit Audience(const DaemonPlace& place);
    ~Audience();
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;

    /// That what was measured was there: scrapes answered, bytes to viewers and to the terminal.
    bool all_saw_something() const { return scrapes_ > 0 && events_ > 0 && drawn_ > 0; }

  private:
    void start_top();
    void watch();

    std::string socket_;
    pid_t top_ = -1;
    int terminal_ = -1;
    std::atomic<bool> ends_{false};
    std::size_t scrapes_ = 0;
    std::atomic<std::size_t> events_{0};
    std::atomic<std::size_t> drawn_{0};
    std::thread thread_;
};

}  // namespace bench
