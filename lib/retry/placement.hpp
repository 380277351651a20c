// SPDX-License-Identifier: Apache-2.0
//
// The life of one order behind place_order and settle_order, for any port. Its promises stand in
// ratecoord/orders.hpp.
#pragma once

#include "retry/lookup.hpp"

namespace ratecoord::retry {

class Placement {
  public:
    Placement(Port& port, const Order& order, const OrderPolicy& policy) noexcept;

    OrderResult run(SendOrder send, LookUpOrder look_up) noexcept;
    /// For an order that an earlier life began; sends nothing.
    OrderResult settle(const OrderLedger::Entry& entry, LookUpOrder look_up) noexcept;

  private:
    struct Next {
        bool ask = false;
        bool is_known = false;  ///< the venue said that the id exists: no need to wait
        OrderState state = OrderState::placed;
    };

    bool prepare() noexcept;
    bool fix_id() noexcept;
    bool begin() noexcept;
    Attempt send_once(BootTime deadline, SendOrder send) noexcept;
    Next judge_send(const Attempt& attempt) const noexcept;
    /// True if it is to be sent once more, by `deadline`.
    bool look(const Next& next, LookUpOrder look_up, BootTime& deadline) noexcept;
    /// Else it has ended: what the lookups show decides.
    bool found_nothing(BootTime from, std::chrono::nanoseconds window,
                       LookUpOrder look_up) noexcept;
    bool may_resend(BootTime& deadline) const noexcept;
    void not_sent_at_all(const Attempt& attempt) noexcept;
    void end(OrderState state, const std::string& reason) noexcept;
    void end_not_placed() noexcept;
    void end_unknown(const std::string& reason) noexcept;

    Port& port_;
    const Order& order_;
    const OrderPolicy& policy_;
    OrderLedger& ledger_;
    OrderResult result_;
};

OrderResult place_order(Port& port, const Order& order, const OrderPolicy& policy, SendOrder send,
                        LookUpOrder look_up) noexcept;
OrderResult settle_order(Port& port, const OrderLedger::Entry& entry, const Cost& lookup_cost,
                         const OrderPolicy& policy, LookUpOrder look_up) noexcept;

}  // namespace ratecoord::retry
