// SPDX-License-Identifier: Apache-2.0
//
// A child that is run instruction by instruction under ptrace, and the way to each of them.
//
// PROMISE  Route::lead() brings a child to the instruction that a recorded run was at after k
//          steps. Not by k steps: where we know how to set breakpoints, the child runs to an
//          instruction that occurs once on the way, from there to one that occurs seldom, and is
//          stepped from that one. So a point costs some tens of stops wherever it lies, and all
//          points of n instructions cost n times that, not n * n.
// NEEDS    Children that are alike: forked from one process that does nothing in between.
// SHARING  Parent only. A Route is in memory that forked processes share.
#pragma once

#include <cstdint>
#include <span>

#include "support/child_process.hpp"

namespace ratecoord::testing {

class Stepped {
  public:
    /// `act()` calls mark() before and after what is to be stepped; it returns the exit status.
    template <class Act>
    explicit Stepped(Act&& act)
        : child_([&] {
              let_be_traced();
              return act();
          }) {
        has_begun_ = stops_at_mark();
    }

    static void mark();

    bool has_begun() const noexcept { return has_begun_; }
    bool has_finished() const noexcept { return has_finished_; }
    pid_t pid() const noexcept { return child_.pid(); }
    std::uint64_t instruction() const;

    /// One instruction; a system call is one. False where it came to the second mark.
    bool step();
    /// Runs until it is about to execute `instruction` for the `hits`-th time from here.
    bool run_to(std::uint64_t instruction, std::uint32_t hits);
    /// So many turns of the repeated string instruction that it is about to execute; `next` is what
    /// comes after the last of all turns.
    bool turn(std::uint64_t turns, std::uint64_t next);
    /// All turns of such an instruction, and how many; 0 where it is about to execute another.
    std::uint64_t all_turns();
    /// Thaws it: runs on to the second mark.
    bool finish();
    /// From the second mark to its end; the exit status.
    int leave();
    void kill() { child_.end(); }

  private:
    static void let_be_traced();
    int next_stop();
    bool stops_at_mark();

    ChildProcess child_;
    bool has_begun_ = false;
    bool has_finished_ = false;
};

class Route {
  public:
    Route();
    ~Route();
    Route(const Route&) = delete;
    Route& operator=(const Route&) = delete;

    /// Steps the child from its first mark to its second and notes where it was.
    bool record(Stepped& child);
    /// Instructions between the marks.
    std::uint64_t length() const noexcept { return shared_->length; }
    /// Brings a fresh child to point `k`. False where it went another way than the recorded one.
    bool lead(Stepped& child, std::uint64_t k) const;

  private:
    static constexpr std::uint64_t most = std::uint64_t{1} << 23;
    struct Point {
        std::uint64_t instruction;
        std::uint32_t once;      ///< the last point before whose instruction occurs but once
        std::uint32_t landmark;  ///< where the breakpoint leads to
        std::uint32_t hits;      ///< how often it is met from `once` on; 0: it is `once` itself
        std::uint32_t turns;     ///< of a repeated string instruction, from its first on; else 1
    };
    struct Points {
        std::uint64_t length;
        Point points[most];
    };
    void count_turns();
    void plan();
    Points* shared_;
};

}  // namespace ratecoord::testing
