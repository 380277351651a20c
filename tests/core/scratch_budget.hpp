// SPDX-License-Identifier: Apache-2.0
//
// One budget in plain memory, driven by a hand-turned clock.
//
// PROMISE  What a client does with the core, without segment and lock: a decision that says nothing
//          changed is thrown away, a stale plan is stepped through before anything is reserved.
// SHARING  One thread.
#pragma once

#include <initializer_list>
#include <vector>

#include "core/calendar.hpp"
#include "core/change.hpp"
#include "core/clock_step.hpp"
#include "core/definition.hpp"
#include "core/pause.hpp"
#include "core/plan.hpp"

namespace core_test {

using namespace ratecoord;
using namespace ratecoord::core;

inline constexpr std::int64_t ms = millisecond_ns;
inline constexpr std::int64_t s = second_ns;

/// Needs a definition that can be kept.
LimitRecord record_of(const LimitDefinition& definition);
LimitDefinition limit(LimitKind kind, std::uint64_t quota, std::int64_t window_ns,
                      std::uint64_t burst = 0, std::int64_t slack_ns = 250 * ms);

/// A record far below the shortest slack that a definition may name: a few nanoseconds stand for a
/// window, so that every instant of it can be tried.
LimitRecord tiny_record(LimitKind kind, std::uint64_t quota, std::int64_t window,
                        std::uint64_t burst, std::int64_t slack);

struct Pick {
    std::uint16_t limit = 0;
    std::uint32_t units = 1;
    std::uint64_t key = 0;
};
Request request_of(std::initializer_list<Pick> picks, Instant deadline = 0,
                   Lane lane = Lane::normal, Intent intent = Intent::open, std::uint16_t slot = 1);

class ScratchBudget {
  public:
    struct Options {
        Instant now = 0;
        std::int64_t utc_offset = 0;
        bool full = true;
        bool shadow = false;
        std::uint64_t same_rules = 0;
        Capacity capacity{4, 64, 8, 8};
    };
    ScratchBudget(std::vector<LimitRecord> limits, const Options& options);
    explicit ScratchBudget(std::vector<LimitRecord> limits)
        : ScratchBudget(std::move(limits), Options{}) {}

    State& state() noexcept { return state_; }
    const State& state() const noexcept { return state_; }
    StateHead& head() noexcept { return *state_.head; }
    const Rules& rules() const noexcept { return rules_; }
    Workspace& workspace() noexcept { return workspace_; }
    const std::vector<LimitRecord>& records() const noexcept { return records_; }

    /// reserve() as a client calls it. The request keeps its binding.
    Answer ask(Request& request, Instant now);
    Answer ask(std::initializer_list<Pick> picks, Instant now, Instant deadline = 0);
    /// One unit of limit 0 now, or not at all.
    bool take(Instant now, std::uint32_t units = 1);
    Answer confirm_at(std::uint64_t id, Instant now, std::uint16_t slot = 1);
    Answer where(std::uint64_t id, Instant now, std::uint16_t slot = 1) const;
    bool cancel_at(std::uint64_t id, Instant now, std::uint16_t slot = 1);
    void freshen(Instant now);
    /// Steps until the plan is fresh; how many it took.
    int steps(Instant now);

    Change change(std::uint16_t limit, const LimitRecord& record, Instant now);

    void add(const LimitRecord& record, Instant now);

    const Entry* entry(std::uint64_t id) const noexcept;
    /// The bytes in use, to see whether anything changed.
    std::vector<unsigned char> bytes() const;
    struct Copy {
        StateHead head{};
        std::vector<Cell> cells;
        std::vector<Key> keys;
        std::vector<Entry> entries;
    };
    const Copy& copy() const noexcept { return live_; }
    void restore(const Copy& copy);

  private:
    std::vector<LimitRecord> records_;
    Rules rules_;
    Workspace workspace_;
    Copy live_;
    State state_;
};

}  // namespace core_test
