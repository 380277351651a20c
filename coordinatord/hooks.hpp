// SPDX-License-Identifier: Apache-2.0
//
// Who is told of events: programs and webhooks, one after the other on a thread of their own.
//
// PROMISE  post() never waits for a hook: beyond queue_max events it counts and drops. Each hook gets
//          at most `most` events per `window`; what is beyond is counted, and the count goes with the
//          next event that the hook gets. replace() takes effect with the next event and keeps the
//          counts of hooks that stay. At the end what runs has a second, what waits is dropped.
// SHARING  Any thread.
// ERRORS   Logged, with the hook's name; none comes back.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coordinatord/config.hpp"
#include "coordinatord/event.hpp"
#include "coordinatord/hook_command.hpp"

namespace coordinatord {

/// How often one hook may be told.
class HookPace {
  public:
    using Instant = std::chrono::steady_clock::time_point;

    /// How many were held back since the last one that went; nothing: this one is held back too.
    std::optional<std::uint64_t> pass(const HookConfig& hook, Instant now);

  private:
    std::optional<Instant> window_began_;
    std::uint32_t passed_ = 0;
    std::uint64_t held_back_ = 0;
};

struct HookCounts {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;  ///< refused, missing, or not well ended
    std::uint64_t timed_out = 0;
    std::uint64_t suppressed = 0;  ///< by a hook's pace
    std::uint64_t overflowed = 0;  ///< events for which the queue had no room
};

/// The JSON that a hook gets.
std::string payload_of(const HookConfig& hook, const Event& event, std::uint64_t suppressed);

class Hooks {
  public:
    static constexpr std::size_t queue_max = 256;

    explicit Hooks(std::vector<HookConfig> hooks);
    ~Hooks();
    Hooks(const Hooks&) = delete;
    Hooks& operator=(const Hooks&) = delete;

    void post(const Event& event) noexcept;
    void replace(std::vector<HookConfig> hooks);
    HookCounts counts() const;
    /// Whether nothing waits or runs any more; asks for at most `patience`.
    bool settle(std::chrono::nanoseconds patience) const;

  private:
    void work();
    void deliver(const Event& event, const std::vector<HookConfig>& hooks);
    void deliver(const Event& event, const HookConfig& hook);
    void count(const HookOutcome& outcome);

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<HookConfig> hooks_;  // guarded by mutex_, as all down to is_busy_
    std::deque<Event> queue_;
    HookCounts counts_;
    bool is_busy_ = false;
    std::map<std::string, HookPace> paces_;  // the worker's
    std::atomic<bool> stops_{false};
    int stop_ = -1;  // an eventfd: readable once stops_ is true
    std::thread worker_;
};

}  // namespace coordinatord
