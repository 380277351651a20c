// SPDX-License-Identifier: Apache-2.0
//
// One cancel-all per symbol, not one per failure: what everybody wants at once is done once.
//
//     ratecoord::EmergencyActions cancel_all;                       // one for the process
//     auto done = cancel_all.run(budget, "BTCUSDT", claim, [&] {    // claim: a cost, or null
//         return ratecoord::call(budget, cost, policy, send);       // critical lane, Intent::close
//     });
//
// PROMISE  E1  While an action for a key is under way, others for it wait and share its result.
//          E2  One that was done and began less than `fresh_for` ago is not done again.
//          E3  With a claim, a cost of a `spacing` limit per symbol, the whole host does it once
//              per window: who comes later is told so at once.
//          E4  A failed action is nobody's excuse: the next one for the key is run.
// NEEDS    The action paces itself: it takes its permit from the critical lane. It does not run the
//          same key again from inside.
// SHARING  Any thread at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <ratecoord/retry.hpp>

namespace ratecoord {

enum class EmergencyRun : std::uint8_t {
    run,      ///< by this call
    shared,   ///< by another call of this process; its result
    covered,  ///< by another process of this host, less than a window ago
};
const char* name_of(EmergencyRun run) noexcept;

struct EmergencyResult {
    EmergencyRun how = EmergencyRun::run;
    CallResult call = {};  ///< of run and shared; the latter without views of the reply
    BootTime covered_until = {};
};

class EmergencyActions {
  public:
    explicit EmergencyActions(std::chrono::nanoseconds fresh_for = std::chrono::seconds(5))
        : fresh_for_(fresh_for) {}

    EmergencyResult run(Budget& budget, std::string_view key, const Cost* claim,
                        FunctionRef<CallResult()> action) noexcept;

    /// The same with the world handed in: the time, and whether this host may do it now; if not,
    /// `may_run` says until when it is covered.
    EmergencyResult run(std::string_view key, FunctionRef<BootTime()> now,
                        FunctionRef<bool(BootTime& covered_until)> may_run,
                        FunctionRef<CallResult()> action) noexcept;

  private:
    struct Turn {
        bool is_over = false;
        BootTime began_at{};
        CallResult call{};
    };

    std::chrono::nanoseconds fresh_for_;
    std::mutex mutex_;
    std::condition_variable over_;
    std::map<std::string, std::shared_ptr<Turn>, std::less<>> turns_;  // guarded by mutex_
};

}  // namespace ratecoord
