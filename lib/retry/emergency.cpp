// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/emergency.hpp>

namespace ratecoord {

const char* name_of(EmergencyRun run) noexcept {
    switch (run) {
        case EmergencyRun::run:
            return "run";
        case EmergencyRun::shared:
            return "shared";
        case EmergencyRun::covered:
            return "covered";
    }
    return "run";
}

EmergencyResult EmergencyActions::run(std::string_view key, FunctionRef<BootTime()> now,
                                      FunctionRef<bool(BootTime& covered_until)> may_run,
                                      FunctionRef<CallResult()> action) noexcept {
    std::unique_lock held(mutex_);
    auto& latest = turns_[std::string(key)];
    while (latest) {
        const std::shared_ptr<Turn> turn = latest;
        over_.wait(held, [&] { return turn->is_over; });
        const bool is_fresh = turn->call && now() - turn->began_at < fresh_for_;
        if (is_fresh) return {EmergencyRun::shared, turn->call, {}};
        // E1: what failed while we waited is not run again by everybody who waited: one does.
        if (latest == turn) latest.reset();
    }
    const auto turn = std::make_shared<Turn>();
    latest = turn;
    held.unlock();

    EmergencyResult result;
    turn->began_at = now();
    if (!may_run(result.covered_until)) {
        result.how = EmergencyRun::covered;
    } else {
        try {
            result.call = action();
        } catch (...) {
            result.call.exception = std::current_exception();
            result.call.reason = "the emergency action threw an exception";
        }
    }
    held.lock();
    turn->call = result.call;
    turn->call.reply = {};  // views of this caller's memory
    turn->is_over = true;
    if (result.how == EmergencyRun::covered && latest == turn) latest.reset();
    held.unlock();
    over_.notify_all();
    return result;
}

EmergencyResult EmergencyActions::run(Budget& budget, std::string_view key, const Cost* claim,
                                      FunctionRef<CallResult()> action) noexcept {
    const auto may_run = [&](BootTime& covered_until) {
        if (claim == nullptr) return true;
        const auto decision = budget.try_acquire(*claim);
        // Whatever else refuses the claim is no sign that somebody acts.
        if (!decision || *decision || decision->refusal() != Refusal::not_yet) return true;
        covered_until = decision->retry_at();
        return false;
    };
    return run(
        key, [] { return BootClock::now(); }, may_run, action);
}

}  // namespace ratecoord
