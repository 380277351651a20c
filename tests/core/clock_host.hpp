// SPDX-License-Identifier: Apache-2.0
//
// A greedy host whose clocks the test turns, and what its venue counts by a clock that never steps.
#pragma once

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

namespace core_test {

using Random = std::mt19937_64;

inline constexpr std::int64_t minute = 60 * s;
inline constexpr std::int64_t hour = 3600 * s;
inline constexpr std::int64_t day = 24 * hour;
inline constexpr std::int64_t venue_offset = 1'790'000'000 * s + 123'456'789;

inline std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

inline std::uint64_t units_of(const std::vector<Drawn>& drawn) {
    std::uint64_t sum = 0;
    for (const Drawn& d : drawn) sum += d.units;
    return sum;
}

struct Stepped {
    Instant at;
    Instant began;  ///< the window that ran before the step
    Instant ends;   ///< the one that runs after it
};

/// A greedy host under one limit, whose wall clock the test steps.
class Host {
  public:
    Host(const LimitRecord& record, Instant now, std::int64_t offset)
        : record_(record), budget_({record}, options(now, offset)), now_(now), offset_(offset) {}

    /// What the wall clock says changes, and a client notices.
    void step_to(std::int64_t offset) {
        const auto start = [&](std::int64_t by) {
            return aligned(now_ + by, record_.window_ns) - by;
        };
        // Smaller ones are no step until they add up: G1 holds while two clocks differ by at most
        // slack/2.
        const auto by = static_cast<__int128>(offset) - offset_;
        stepped_ += by < 0 ? -by : by;
        if (stepped_ > record_.slack_ns / 2) {
            steps_.push_back({now_, start(offset_), start(offset) + record_.window_ns});
            stepped_ = 0;
        }
        offset_ = offset;
        static_cast<void>(renew_offset(budget_.state(), budget_.rules(), offset, now_));
        REQUIRE(valid(budget_.state()));
    }
    void step_by(std::int64_t by) { step_to(offset_ + by); }

    /// Boot time goes by; reservations whose turn comes are confirmed, now and then too late.
    void pass(std::int64_t by, Random& random) {
        const Instant until = now_ + by;
        for (;;) {
            budget_.freshen(now_);
            std::uint64_t next = 0;
            Instant at = until;
            for (const std::uint64_t id : waiting_) {
                const Answer seen = budget_.where(id, now_);
                if (seen.verdict == Verdict::reserved && seen.at < at) {
                    next = id;
                    at = seen.at;
                }
            }
            if (next == 0) break;
            now_ = std::max(now_, at) + (random() % 8 == 0 ? between(random, 0, s) : 0);
            std::erase(waiting_, next);
            const Answer answer = budget_.confirm_at(next, now_);
            if (answer.verdict == Verdict::granted) send(answer, 1);
            if (answer.verdict == Verdict::reserved) waiting_.push_back(next);
        }
        now_ = std::max(now_, until);
    }

    /// Takes what there is; says how long the next unit takes to come.
    std::int64_t drain(std::size_t most = 10'000) {
        for (; most > 0; --most) {
            Request request = request_of({{0, 1}});
            const Answer answer = budget_.ask(request, now_);
            if (answer.verdict != Verdict::granted) return answer.at - now_;
            send(answer, 1);
        }
        return 0;
    }
    void wait_for_one() {
        Request request = request_of({{0, 1}}, now_ + 3 * record_.window_ns);
        const Answer answer = budget_.ask(request, now_);
        if (answer.verdict == Verdict::granted) send(answer, 1);
        if (answer.verdict == Verdict::reserved) waiting_.push_back(answer.id);
    }

    /// The longest that the next unit may take: a window and its slack, and more where others wait;
    /// slack/2 more where steps that are let be put the clock back behind a window carried over.
    std::int64_t longest_wait() const {
        const auto windows = 1 + (waiting_.size() + record_.quota - 1) / record_.quota;
        return static_cast<std::int64_t>(windows) * record_.window_ns + record_.slack_ns +
               stepped_ns();
    }
    Instant now() const { return now_; }
    const std::vector<Drawn>& drawn() const { return drawn_; }
    const std::vector<Stepped>& steps() const { return steps_; }
    ScratchBudget& budget() { return budget_; }

  private:
    std::int64_t stepped_ns() const { return static_cast<std::int64_t>(stepped_); }
    static ScratchBudget::Options options(Instant now, std::int64_t offset) {
        ScratchBudget::Options result;
        result.now = now;
        result.utc_offset = offset;
        return result;
    }
    void send(const Answer& answer, std::uint64_t units) {
        drawn_.push_back({answer.at, answer.valid_until, units});
    }

    LimitRecord record_;
    ScratchBudget budget_;
    Instant now_;
    std::int64_t offset_;
    __int128 stepped_ = 0;
    std::vector<std::uint64_t> waiting_;
    std::vector<Drawn> drawn_;
    std::vector<Stepped> steps_;
};

/// The window that runs after a step never gives what the one before it gave already.
inline std::optional<std::string> free_window(const LimitRecord& record,
                                              const std::vector<Drawn>& drawn,
                                              const std::vector<Stepped>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Instant end =
            i + 1 < steps.size() ? std::min(steps[i].ends, steps[i + 1].at) : steps[i].ends;
        std::uint64_t units = 0;
        bool more = false;
        for (const Drawn& d : drawn) {
            if (d.at < steps[i].began || d.at >= end) continue;
            units += d.units;
            more = more || d.at > steps[i].at;
        }
        if (!more || units <= record.quota) continue;
        return std::to_string(units) + " units of " + std::to_string(record.quota) +
               " around step " + std::to_string(i);
    }
    return std::nullopt;
}

}  // namespace core_test
