// SPDX-License-Identifier: Apache-2.0
#include "segment/page_guard.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

namespace ratecoord::segment {

/// One guarded range. Never freed, but used again: the handler may be walking the list.
struct GuardedRange {
    std::atomic<bool> taken{true};
    std::atomic<std::uintptr_t> begin{0};  ///< 0: guards nothing now
    std::atomic<std::size_t> bytes{0};
    std::atomic<bool> lost{false};
    GuardedRange* next = nullptr;
};

namespace {

std::atomic<GuardedRange*> first_range{nullptr};
std::atomic<bool> left_alone{false};

// What the signal did before us. Two, because a handler that was set after ours, and that we then
// stood in front of, may call ours in turn: then the one that was there at first is next.
struct Previous {
    struct sigaction action {};
};
std::atomic<const Previous*> first_previous{nullptr};
std::atomic<const Previous*> last_previous{nullptr};

// Initial-exec: reading it in a handler must not allocate.
[[gnu::tls_model("initial-exec")]] thread_local bool passing_on = false;

GuardedRange* range_of(std::uintptr_t address) noexcept {
    for (auto* range = first_range.load(std::memory_order_acquire); range != nullptr;
         range = range->next) {
        const auto begin = range->begin.load(std::memory_order_acquire);
        if (begin != 0 && address >= begin && address - begin < range->bytes.load()) return range;
    }
    return nullptr;
}

/// False where no memory of our own could be had.
bool replace(GuardedRange& range) noexcept {
    range.lost.store(true);  // B2: before a zero can be read
    // Two threads may do this at once, or one after the other: zeros over zeros.
    auto* const begin = reinterpret_cast<void*>(range.begin.load());
    return ::mmap(begin, range.bytes.load(), PROT_READ | PROT_WRITE,
                  MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == begin;
}

void act_by_default(int signal, const siginfo_t& info) noexcept {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    // A fault comes again by itself when the instruction is tried again, and with it the true
    // address in the core; what somebody sent does not.
    if (info.si_code <= 0) ::raise(signal);
}

void pass_on(int signal, siginfo_t* info, void* context) noexcept {
    const auto& next = passing_on ? first_previous : last_previous;
    const auto* previous = next.load(std::memory_order_acquire);
    if (previous == nullptr) return act_by_default(signal, *info);
    const auto& action = previous->action;
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        const bool was = std::exchange(passing_on, true);
        action.sa_sigaction(signal, info, context);
        passing_on = was;
    } else if (action.sa_handler == SIG_DFL) {
        act_by_default(signal, *info);
    } else if (action.sa_handler == SIG_IGN) {
        if (info->si_code > 0) act_by_default(signal, *info);  // a fault cannot be ignored
    } else {
        const bool was = std::exchange(passing_on, true);
        action.sa_handler(signal);
        passing_on = was;
    }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
    const int cause = errno;
    // A positive code is the kernel's: only then does the address mean anything. A misaligned
    // access would only come again.
    const bool is_fault = info->si_code > 0 && info->si_code != BUS_ADRALN;
    auto* const range =
        is_fault ? range_of(reinterpret_cast<std::uintptr_t>(info->si_addr)) : nullptr;
    if (range == nullptr || !replace(*range)) pass_on(signal, info, context);
    errno = cause;
}

bool is_ours(const struct sigaction& action) noexcept {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_bus_error;
}

void remember(const struct sigaction& action) {
    const auto* previous = new Previous{action};  // kept for good: a handler may be reading it
    const Previous* none = nullptr;
    last_previous.store(previous, std::memory_order_release);
    first_previous.compare_exchange_strong(none, previous, std::memory_order_release,
                                           std::memory_order_relaxed);
}

void install() {
    struct sigaction there {};
    if (left_alone.load() || ::sigaction(SIGBUS, nullptr, &there) != 0 || is_ours(there)) return;
    remember(there);
    struct sigaction ours = there;  // with its mask, which it expects
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    struct sigaction replaced {};
    if (::sigaction(SIGBUS, &ours, &replaced) != 0 || is_ours(replaced)) return;
    // Somebody else set one between the look and the change.
    if (replaced.sa_sigaction != there.sa_sigaction) remember(replaced);
}

GuardedRange& take_range() {
    for (auto* range = first_range.load(std::memory_order_acquire); range != nullptr;
         range = range->next) {
        bool taken = false;
        if (range->taken.compare_exchange_strong(taken, true)) return *range;
    }
    auto* fresh = new GuardedRange;
    fresh->next = first_range.load(std::memory_order_relaxed);
    // Releases the entry to a handler that acquires the list.
    while (!first_range.compare_exchange_weak(fresh->next, fresh, std::memory_order_release,
                                              std::memory_order_relaxed)) {
    }
    return *fresh;
}

}  // namespace

PageGuard::PageGuard(void* begin, std::size_t bytes) : range_(&take_range()) {
    range_->lost.store(false);
    range_->bytes.store(bytes);
    range_->begin.store(reinterpret_cast<std::uintptr_t>(begin));
    install();
}

PageGuard::~PageGuard() {
    if (range_ == nullptr) return;
    range_->begin.store(0);
    range_->taken.store(false);
}

bool PageGuard::lost() const noexcept {
    return range_ != nullptr && range_->lost.load(std::memory_order_acquire);
}

void PageGuard::leave_bus_errors_alone() noexcept {
    left_alone.store(true);
}

}  // namespace ratecoord::segment
