// SPDX-License-Identifier: Apache-2.0
//
// Many processes that open one budget and start together.
//
// PROMISE  Every member opens the budget in its own process, arrives at the gate, and runs `work`
//          once the gate is open. What a member throws or fails ends it with a status that is not
//          0.
#pragma once

#include <sched.h>

#include <memory>
#include <vector>

#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/permit_log.hpp"
#include "support/scratch_directory.hpp"

namespace ratecoord::testing {

class Crowd {
  public:
    /// `work(Budget&, int member)` returns the member's exit status.
    template <class Work>
    Crowd(int members, const std::vector<LimitDefinition>& limits, const OpenOptions& options,
          Work&& work) {
        for (int member = 0; member < members; ++member) {
            children_.emplace_back([&, member] {
                OpenOptions own = options;
                own.label = "member-" + std::to_string(member);
                auto budget = Budget::open("budget", limits, own);
                gate_.arrive();
                if (!budget) return 97;
                return work(*budget, member);
            });
        }
        all_arrived_ = gate_.wait_for(members);
    }

    bool all_arrived() const { return all_arrived_; }
    void open() { gate_.open(); }
    ChildProcess& operator[](std::size_t member) { return children_[member]; }
    std::size_t size() const { return children_.size(); }
    /// How many did not end with status 0.
    int join() {
        int failed = 0;
        for (auto& child : children_) failed += child.wait() == 0 ? 0 : 1;
        return failed;
    }

  private:
    Gate gate_;
    std::vector<ChildProcess> children_;
    bool all_arrived_ = false;
};

}  // namespace ratecoord::testing
