// SPDX-License-Identifier: Apache-2.0
//
// The budgets that are measured, in a directory of their own that is removed at the end.
//
// PROMISE  While a Stage lives, RATECOORD_DIR names its directory. Nothing outside it is touched.
// ERRORS   What should not fail ends the program with one line, and exit status 1.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <ratecoord/budget.hpp>

namespace bench {

/// Throws what run_program prints.
[[noreturn]] void give_up(const std::string& what);

/// What every main() here returns.
template <class Run>
int run_program(Run&& run) {
    try {
        return run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench: %s\n", error.what());
        return 1;
    }
}

/// The value, or the end of the program.
template <class T>
T must(ratecoord::Result<T> result) {
    if (!result) give_up(result.error().message);
    return std::move(*result);
}

class Stage {
  public:
    Stage();
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    const std::string& directory() const { return directory_; }
    /// A name that no budget has yet.
    std::string fresh_name();

  private:
    std::string directory_;
    int named_ = 0;
};

/// `count` limits (1 to 8) that always have room: fixed, rolling, keyed and bucket in turn; and one
/// named `pace`, of ten minutes between two requests, so that a calendar outlives the benchmark.
std::vector<ratecoord::LimitDefinition> roomy_limits(std::size_t count);

/// One unit of each of the first `count` of them.
ratecoord::Cost roomy_cost(const ratecoord::Budget& budget, std::size_t count);

/// A budget created full of units.
ratecoord::Budget create(const std::string& name,
                         const std::vector<ratecoord::LimitDefinition>& limits,
                         std::uint32_t reservations = 512, std::uint32_t clients = 128);

/// Reservations that fill a calendar, and the clients that hold them: one may hold a quarter only.
class Queue {
  public:
    /// The last eighth of the calendar is taken by the critical lane.
    Queue(const std::string& name, std::uint32_t capacity);

    /// Reserves `items` until `total` stand. Needs total <= capacity.
    void fill_to(std::size_t total, const std::vector<ratecoord::CostItem>& items);
    std::size_t size() const { return reservations_.size(); }

  private:
    std::string name_;
    std::size_t capacity_;
    std::vector<ratecoord::Budget> clients_;
    std::vector<ratecoord::Reservation> reservations_;
};

}  // namespace bench
