// SPDX-License-Identifier: Apache-2.0
#include "sim/fiber_scheduler.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace ratecoord::sim {

FiberScheduler* FiberScheduler::current_ = nullptr;
std::vector<FiberScheduler::Stack> FiberScheduler::spare_stacks_;

FiberScheduler::FiberScheduler(std::uint64_t seed) : random_(seed) {
    current_ = this;
}

FiberScheduler::~FiberScheduler() {
    for (auto& fiber : fibers_) spare_stacks_.push_back(std::move(fiber->stack));
    current_ = nullptr;
}

FiberScheduler::Stack FiberScheduler::take_stack() {
    if (spare_stacks_.empty()) return Stack(new char[stack_bytes]);
    auto stack = std::move(spare_stacks_.back());
    spare_stacks_.pop_back();
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack.get(), stack_bytes);  // the frames of who was killed
#endif
    return stack;
}

void FiberScheduler::add(std::function<void()> run) {
    auto fiber = std::make_unique<Fiber>();
    fiber->run = std::move(run);
    fiber->stack = take_stack();
    fiber->number = fibers_.size();
    ::getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.get();
    fiber->context.uc_stack.ss_size = stack_bytes;
    fiber->context.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(fiber.get());
    ::makecontext(&fiber->context, reinterpret_cast<void (*)()>(&FiberScheduler::enter), 2,
                  static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    fibers_.push_back(std::move(fiber));
}

void FiberScheduler::enter(unsigned high, unsigned low) {
    auto& scheduler = *current_;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler.home_bottom_, &scheduler.home_size_);
#endif
    auto* fiber =
        reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | std::uintptr_t{low});
    fiber->run();
    fiber->condition = Condition::ended;
    scheduler.switch_back();
    std::abort();  // an ended fiber is never chosen
}

void FiberScheduler::switch_to(Fiber& fiber) {
    running_ = &fiber;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&home_sanitizer_stack_, fiber.stack.get(), stack_bytes);
#endif
    ::swapcontext(&home_, &fiber.context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(home_sanitizer_stack_, nullptr, nullptr);
#endif
    running_ = nullptr;
}

void FiberScheduler::switch_back() {
    auto& fiber = *running_;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&fiber.sanitizer_stack, home_bottom_, home_size_);
#endif
    ::swapcontext(&fiber.context, &home_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fiber.sanitizer_stack, &home_bottom_, &home_size_);
#endif
}

void FiberScheduler::step(std::int64_t takes) {
    if (running_ == nullptr) return;  // the test itself, before and after
    now_ += takes;
    const auto roll = random_() % 1'000;
    if (roll < kills_) {
        running_->condition = Condition::killed;
        if (when_killed_) when_killed_(running_->number);
    } else if (roll < kills_ + freezes_) {
        // From shorter than the takeover time to many times it.
        running_->condition = Condition::frozen;
        running_->until = now_ + static_cast<std::int64_t>(random_() % 60'000'000);
    } else if (random_() % 3 != 0) {
        return;  // goes on
    }
    switch_back();
}

void FiberScheduler::sleep(std::uint32_t* word, std::uint32_t expected, std::int64_t until) {
    if (running_ == nullptr || __atomic_load_n(word, __ATOMIC_ACQUIRE) != expected) return;
    running_->condition = Condition::asleep;
    running_->word = word;
    running_->until = until;
    switch_back();
}

int FiberScheduler::wake(std::uint32_t* word, int waiters) {
    int woken = 0;
    for (auto& fiber : fibers_) {
        if (woken == waiters) break;
        if (fiber->condition != Condition::asleep || fiber->word != word) continue;
        fiber->condition = Condition::ready;
        ++woken;
    }
    return woken;
}

FiberScheduler::Fiber* FiberScheduler::choose() {
    std::vector<Fiber*> ready;
    for (auto& fiber : fibers_) {
        const bool sleeps =
            fiber->condition == Condition::asleep || fiber->condition == Condition::frozen;
        if (sleeps && fiber->until <= now_) fiber->condition = Condition::ready;
        if (fiber->condition == Condition::ready) ready.push_back(fiber.get());
    }
    return ready.empty() ? nullptr : ready[random_() % ready.size()];
}

bool FiberScheduler::advance_time() {
    auto next = core::far;
    for (const auto& fiber : fibers_) {
        if (fiber->condition == Condition::asleep || fiber->condition == Condition::frozen) {
            next = std::min(next, fiber->until);
        }
    }
    if (next == core::far) return false;
    now_ = std::max(now_, next);
    return true;
}

bool FiberScheduler::run(std::uint64_t steps) {
    for (; steps > 0; --steps) {
        if (auto* fiber = choose()) {
            switch_to(*fiber);
        } else if (!advance_time()) {
            return true;
        }
    }
    return false;
}

}  // namespace ratecoord::sim
