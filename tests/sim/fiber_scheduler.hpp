// SPDX-License-Identifier: Apache-2.0
//
// Processes that are fibers of one thread: a seeded scheduler decides at every step of the protocol
// who goes on, who dies and who is frozen for how long.
//
// PROMISE  The same seed gives the same run. Time is virtual: it moves when a fiber says so, and
//          when everybody sleeps, to the next instant at which somebody wakes.
// SHARING  One scheduler at a time; SimSteps refers to it.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "segment/clock.hpp"
#include "segment/steps.hpp"

namespace ratecoord::sim {

class FiberScheduler {
  public:
    explicit FiberScheduler(std::uint64_t seed);
    ~FiberScheduler();
    FiberScheduler(const FiberScheduler&) = delete;
    FiberScheduler& operator=(const FiberScheduler&) = delete;

    static FiberScheduler& current() noexcept { return *current_; }

    void add(std::function<void()> run);
    /// Runs until every fiber has ended, was killed, or `steps` are used up (then false: somebody
    /// waits for ever).
    bool run(std::uint64_t steps);
    /// Chances, in a thousand steps, that the running fiber is killed or frozen.
    void set_dangers(unsigned kills, unsigned freezes) noexcept {
        kills_ = kills;
        freezes_ = freezes;
    }

    /// Called with the number of a fiber, in order of add(), as soon as it was killed. May add().
    void when_killed(std::function<void(std::size_t)> call) { when_killed_ = std::move(call); }

    std::int64_t now() const noexcept { return now_; }

    // For SimSteps.
    void step(std::int64_t takes);
    void sleep(std::uint32_t* word, std::uint32_t expected, std::int64_t until);
    int wake(std::uint32_t* word, int waiters);

  private:
    using Stack = std::unique_ptr<char[]>;
    enum class Condition { ready, asleep, frozen, killed, ended };
    struct Fiber {
        ucontext_t context{};
        Stack stack;
        std::size_t number = 0;
        std::function<void()> run;
        Condition condition = Condition::ready;
        std::uint32_t* word = nullptr;
        std::int64_t until = 0;
        void* sanitizer_stack = nullptr;
    };

    static constexpr std::size_t stack_bytes = 256 * 1024;

    static Stack take_stack();
    static void enter(unsigned high, unsigned low);
    void switch_to(Fiber& fiber);
    void switch_back();
    Fiber* choose();
    bool advance_time();

    static FiberScheduler* current_;
    static std::vector<Stack> spare_stacks_;  ///< of schedulers before: fresh pages are dear
    std::mt19937_64 random_;
    std::function<void(std::size_t)> when_killed_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    Fiber* running_ = nullptr;
    ucontext_t home_{};
    void* home_sanitizer_stack_ = nullptr;
    const void* home_bottom_ = nullptr;
    std::size_t home_size_ = 0;
    std::int64_t now_ = 1'000'000'000;
    unsigned kills_ = 0;
    unsigned freezes_ = 0;
};

/// The protocol's points, waits and clock, under the scheduler.
struct SimSteps {
    static void at(segment::Step) noexcept { FiberScheduler::current().step(50); }
    static void relax() noexcept { FiberScheduler::current().step(2'000); }
    static void yield() noexcept { FiberScheduler::current().step(1'000); }
    static std::int64_t monotonic() noexcept { return FiberScheduler::current().now(); }
    static void sleep(std::uint32_t* word, std::uint32_t expected, std::int64_t until) noexcept {
        FiberScheduler::current().sleep(word, expected, until);
    }
    static int wake(std::uint32_t* word, int waiters) noexcept {
        return FiberScheduler::current().wake(word, waiters);
    }
};

class SimClock final : public segment::Clock {
  public:
    core::Instant boot() const noexcept override { return FiberScheduler::current().now(); }
    std::int64_t utc_offset() const noexcept override { return 0; }
};

}  // namespace ratecoord::sim
