// SPDX-License-Identifier: Apache-2.0
#include "segment/fork_guard.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>

namespace ratecoord::segment {
namespace {

constexpr std::size_t page_bytes = 4096;

// Held across fork, so that the child finds the list and every descriptor in it whole.
std::mutex& list_mutex() {
    static std::mutex mutex;
    return mutex;
}

ForkGuard* first_guard = nullptr;

}  // namespace

struct ForkHandlers {
    static void before() { list_mutex().lock(); }
    static void in_parent() { list_mutex().unlock(); }
    static void in_child() {
        for (auto* guard = first_guard; guard != nullptr; guard = guard->next_) {
            if (*guard->file_) ::close(guard->file_->release());
            guard->mutex_->make_anew();
        }
        list_mutex().unlock();
    }
    static void install() {
        static const bool installed = ::pthread_atfork(before, in_parent, in_child) == 0;
        (void)installed;
    }
};

ForkGuard::ForkGuard() {
    void* page =
        ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (::madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
        ::munmap(page, page_bytes);
        return;
    }
    page_ = new (page) std::atomic<std::uint32_t>(whole);
}

ForkGuard::~ForkGuard() {
    if (file_ != nullptr) {
        const std::lock_guard hold(list_mutex());
        auto** link = &first_guard;
        while (*link != this) link = &(*link)->next_;
        *link = next_;
    }
    if (page_ != nullptr) ::munmap(page_, page_bytes);
}

bool ForkGuard::begin_renewal() noexcept {
    std::uint32_t expected = 0;
    return page_->compare_exchange_strong(expected, renewing, std::memory_order_acquire);
}

void ForkGuard::watch(FileDescriptor& file, LocalMutex& mutex) {
    ForkHandlers::install();
    const std::lock_guard hold(list_mutex());
    file_ = &file;
    mutex_ = &mutex;
    next_ = first_guard;
    first_guard = this;
}

void ForkGuard::replace(FileDescriptor fresh) noexcept {
    const std::lock_guard hold(list_mutex());
    if (file_ != nullptr) *file_ = std::move(fresh);
}

void ForkGuard::disown() noexcept {
    const std::lock_guard hold(list_mutex());
    if (file_ != nullptr) file_->release();
}

}  // namespace ratecoord::segment
