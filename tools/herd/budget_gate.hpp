// SPDX-License-Identifier: Apache-2.0
//
// Through the shared budget: permits come from its calendar, stops go into it.
//
// A 429, 418 or 403 is reported before anything else is done with the reply: until the pause is
// published, thirty-nine others go on sending.
#pragma once

#include <ratecoord/budget.hpp>
#include <vector>

#include "herd/call_log.hpp"
#include "herd/gate.hpp"
#include "herd/options.hpp"

namespace herd {

class BudgetGate final : public Gate {
  public:
    // Throws std::runtime_error where a cost cannot be had from the budget.
    BudgetGate(ratecoord::Budget& budget, const Options& options, Place place, CallLog& log);

    Admission ask(std::size_t kind, std::int64_t deadline_ns) override;
    PauseSet settle(const Reply& reply, Verdict verdict) override;
    std::optional<std::int64_t> retry_at_ns(const Reply& reply, Verdict verdict) override;

  private:
    struct Priced {
        ratecoord::Cost cost;
        std::int64_t window_ns = 0;  // the longest of its limits
    };

    void price(const Options& options, unsigned worker);
    ratecoord::Result<ratecoord::Decision> wait_and_tell(const ratecoord::Cost& cost,
                                                         ratecoord::BootTime deadline);
    Admission admission_of(ratecoord::Result<ratecoord::Decision>& result);
    PauseSet pause(ratecoord::PauseKind kind, const Reply& reply, std::int64_t wait_ns,
                   std::string_view reason);
    PauseSet hear(const Reply& reply);  // by the profile
    std::int64_t cooldown_ns(const Reply& reply);

    ratecoord::Budget& budget_;
    std::vector<Priced> prices_;
    std::size_t kind_ = 0;
    ratecoord::Permit permit_;
    std::int64_t deciding_ns_ = 0;
    bool log_moves_;
    Place place_;
    CallLog& log_;
    std::mt19937_64 random_;
};

}  // namespace herd
