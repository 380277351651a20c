// SPDX-License-Identifier: Apache-2.0
//
// The retry layer on a real budget, under a clock that the test turns.
//
// PROMISE  Waiting turns the clock, for permits as for backoff; nothing sleeps. What a reply means
//          is told by the budget's profile; where it has none by `advise`, or by status and
//          Retry-After. Pauses are recorded in the budget.
// SHARING  One thread. Ports of one stage share clock and directory, each has its own client.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <ratecoord/headers.hpp>

#include "client/scene.hpp"
#include "retry/call.hpp"
#include "retry/placement.hpp"

namespace ratecoord::testing {

class StagePort final : public retry::Port {
  public:
    StagePort(Budget budget, ManualClock& clock, std::uint64_t seed = 1)
        : budget_(std::move(budget)), clock_(clock), random_(seed) {}

    std::function<Advice(const Reply&)> advise;  ///< empty: by status and Retry-After
    std::function<void(BootTime)> on_sleep;      ///< told before the clock is turned
    bool is_gone = false;                        ///< the budget can no longer be had

    Budget& budget() noexcept { return budget_; }
    std::vector<std::chrono::nanoseconds> sleeps;  ///< of backoff, not of permits
    int halts = 0;

    Result<Decision> acquire(const Cost& cost, BootTime deadline) noexcept override;
    Result<Advice> observe(Permit& permit, const Reply& reply) noexcept override;
    Result<void> halt(std::string_view reason) noexcept override;
    Result<bool> spend_retry_units(std::uint32_t units) noexcept override;
    Result<void> return_retry_units(std::uint32_t units) noexcept override;
    BootTime now() const noexcept override {
        return BootTime(std::chrono::nanoseconds(clock_.boot()));
    }
    std::int64_t utc_ns() const noexcept override { return clock_.boot() + clock_.utc_offset(); }
    void wait_until(BootTime until) noexcept override;
    std::uint64_t random() noexcept override { return random_(); }

  private:
    static tl::unexpected<Error> gone();
    Budget budget_;
    ManualClock& clock_;
    std::mt19937_64 random_;
};

/// What a venue answers; a status of 0 stands for `transport`.
struct Answer {
    int status = 200;
    std::string body = {};
    std::string retry_after = {};
    Transport transport = Transport::maybe_sent;
    bool is_whole = true;
};

/// Answers in order, the last for ever, and when each was asked for. Replies view what it holds.
class Script {
  public:
    Script(StagePort& port, std::vector<Answer> answers)
        : port_(port), answers_(std::move(answers)), headers_(answers_.size()) {}
    Reply operator()(const Permit&) {
        sent.push_back(port_.now());
        const std::size_t at = std::min(sent.size(), answers_.size()) - 1;
        const Answer& answer = answers_[at];
        Reply reply;
        reply.status = answer.status;
        reply.body = answer.body;
        reply.is_whole = answer.is_whole;
        if (answer.status == 0) reply.transport = answer.transport;
        if (!answer.retry_after.empty()) {
            headers_[at] = {"Retry-After", answer.retry_after};
            reply.headers = {&headers_[at], 1};
        }
        return reply;
    }
    std::vector<BootTime> sent;

  private:
    StagePort& port_;
    std::vector<Answer> answers_;
    std::vector<Header> headers_;
};

Advice advice_of(const Reply& reply, BootTime now);

struct Stage : Scene {
    StagePort port(const std::vector<LimitDefinition>& limits, std::uint64_t seed = 1) {
        return {open(limits), clock, seed};
    }
    StagePort port() { return port({fixed("weight", 6'000)}); }

    std::chrono::nanoseconds since(BootTime t) const { return now() - t; }
};

inline Cost cost_of(StagePort& port, std::uint64_t units = 1, Intent intent = Intent::read) {
    return must(port.budget().cost({{"weight", units}})).with(intent);
}

inline std::uint32_t retry_units_left(StagePort& port) {
    return must(port.budget().snapshot()).retry_units;
}

}  // namespace ratecoord::testing
