// SPDX-License-Identifier: Apache-2.0
//
// Outlives the loss of a mapping's pages: a file cut short or punched under us, a disk that fails.
//
// Touching such a page raises SIGBUS, and its default action ends a program that is not ours.
//
// PROMISE  B1  A fault inside a guarded range marks the range lost, then puts zeros of this process
//              under all of it, and the faulting instruction goes on there.
//          B2  Whoever reads one of those zeros finds lost() true afterwards: the mark is made
//              first.
//          B3  Every other SIGBUS goes where it would have gone without us: to the handler that was
//              there before, else to the default action. It never comes round in a circle.
//          B4  The handler takes no lock and allocates nothing; a fork at any instant leaves it
//              whole.
// NEEDS    A thread that blocks SIGBUS is ended by the kernel as ever. A program that sets a
//          handler of its own after us and does not call ours has its way until the next guard().
//          The code stays loaded.
// SHARING  lost() by any thread; an object belongs to whoever owns the mapping.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace ratecoord::segment {

struct GuardedRange;

class PageGuard {
  public:
    PageGuard() = default;
    /// Guards mapped memory until destroyed, which must come before it is unmapped. Throws bad_alloc
    /// where there is no room to remember it.
    PageGuard(void* begin, std::size_t bytes);
    PageGuard(PageGuard&& other) noexcept : range_(std::exchange(other.range_, nullptr)) {}
    PageGuard& operator=(PageGuard&& other) noexcept {
        std::swap(range_, other.range_);
        return *this;
    }
    ~PageGuard();

    /// Whether pages were lost. From then on the memory holds nothing of the file.
    bool lost() const noexcept;

    /// From now on this process never gets the handler from us; one that is there is kept.
    static void leave_bus_errors_alone() noexcept;

  private:
    GuardedRange* range_ = nullptr;
};

}  // namespace ratecoord::segment
