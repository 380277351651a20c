// SPDX-License-Identifier: Apache-2.0
//
// Asking what became of an order until the answer can be believed.
//
// PROMISE  Q1  Lookups begin at `from` and are spread over `window` with gaps that double; the last
//              comes at its end. "Nothing" is an answer only then.
//          Q2  Every lookup is paid from the budget. One that follows a lookup without an answer is
//              a retry, paid from the retry budget as well.
//          Q3  What has no clear answer `answer_within` after the window has none.
// SHARING  As the port.
#pragma once

#include "core/backoff.hpp"
#include "retry/attempt.hpp"

#include <ratecoord/orders.hpp>

namespace ratecoord::retry {

enum class Found : std::uint8_t {
    one,
    nothing,
    several,
    older,  ///< one, but from before our send: the id was used before
    no_answer,
};

class Lookup {
  public:
    /// Counts and remembers in `result`, whose client_id and first_sent_utc_ns it needs.
    Lookup(Port& port, const OrderPolicy& policy, const Cost& cost, OrderResult& result) noexcept
        : port_(port), policy_(policy), cost_(cost), result_(result) {}

    /// First lookup at `from`, or now if that is later.
    Found run(BootTime from, std::chrono::nanoseconds window, LookUpOrder look_up) noexcept;

  private:
    enum class Answer : std::uint8_t { one, nothing, several, older, none };

    Answer ask(LookUpOrder look_up) noexcept;
    Answer ask_on(LookUpOrder look_up) noexcept;
    bool pay_for_retry() noexcept;
    Answer meaning_of(const Attempt& attempt) noexcept;

    Port& port_;
    const OrderPolicy& policy_;
    const Cost& cost_;
    OrderResult& result_;
    BootTime give_up_at_{};
    std::uint32_t owed_ = 0;  // retry units the next lookup costs
    bool is_over_ = false;    // no further lookup can help
};

}  // namespace ratecoord::retry
