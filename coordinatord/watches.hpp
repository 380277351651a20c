// SPDX-License-Identifier: Apache-2.0
//
// What only somebody who looks on for long can notice.
//
// PROMISE  Each thing is told once when it begins, and again only after it ended: no event a second
//          for a state that lasts.
// SHARING  One thread.
#pragma once

#include <functional>
#include <set>
#include <string>

#include <ratecoord/snapshot.hpp>

#include "coordinatord/config.hpp"
#include "coordinatord/event.hpp"

namespace coordinatord {

using Tell = std::function<void(Event)>;

class BudgetWatch {
  public:
    void look(const ratecoord::Snapshot& snapshot, const WatchConfig& watch, const Tell& tell);

  private:
    /// True at the first of a row of calls with `is_so`.
    bool begins(const std::string& what, bool is_so);

    std::set<std::string> standing_;
};

class ClockWatch {
  public:
    void look(bool is_synchronised, std::int64_t at_utc_ns, const Tell& tell);

  private:
    bool was_synchronised_ = true;
};

/// What the kernel says of its clock (adjtimex); true where it does not say.
bool clock_is_synchronised();

}  // namespace coordinatord
