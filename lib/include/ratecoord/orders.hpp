// SPDX-License-Identifier: Apache-2.0
//
// Placing an order once, whatever the network does.
//
//     const Order order{.make_id = true, .symbol = "BTCUSDT", .cost = place, .lookup_cost = query};
//     auto result = ratecoord::place_order(budget, order, policy,
//         [&](const Permit&, std::string_view id) { return http.post(order_with(id)); },
//         [&](const Permit&, std::string_view id) { return found_in(http.get(query_of(id))); });
//
// PROMISE  O1  An order without a client id is not sent: it is refused, or an id is made first. The
//              id is fixed before the first send and stands in every result.
//          O2  It is sent once. What may have arrived is looked up, from `settle` after the send
//              on, with growing gaps over `visible_within`, each lookup paid from the budget.
//          O3  It is sent a second time, and never a third, only after a lookup of the whole window
//              showed nothing, and only where the policy allows (G9).
//          O4  Several orders under the id, one older than our send, or no answer: the result is
//              `unknown` and the halt is set.
//          O5  A used id is refused; a venue that calls it a duplicate is asked which order that
//              is.
//          O6  With a ledger in a file, an order that was under way when the process died is
//              unsettled in the next life; settle_order() looks it up.
// UNITS    Typed time; instants of BootClock, `utc` in nanoseconds since 1970.
// SHARING  Any thread at once.
// ERRORS   No exception leaves it: what `send` throws means that the order may have been sent.
// SOURCE   RFC 9110 section 9.2.2; the venues' rules on timeouts and client ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ratecoord/order_id.hpp>
#include <ratecoord/order_ledger.hpp>
#include <ratecoord/profile.hpp>
#include <ratecoord/retry.hpp>

namespace ratecoord {

/// Whether an order that nobody finds may be sent once more, under the same id.
enum class Resend : std::uint8_t {
    never,
    while_deduplicated,  ///< while the venue itself drops a repeated id (resend_within)
    after_lookup,  ///< the caller's word: what is invisible for the whole window was not placed
};

struct OrderResult;

struct OrderPolicy {
    /// How long after a send the venue may still decide about it; no lookup comes sooner.
    std::chrono::nanoseconds settle{10'000'000'000};
    /// How long after that a placed order may stay invisible to lookups.
    std::chrono::nanoseconds visible_within{10'000'000'000};
    std::uint32_t lookups = 5;  ///< over that time; 2 at least
    /// How much longer is asked where the last lookups had no answer.
    std::chrono::nanoseconds answer_within{60'000'000'000};
    Resend resend = Resend::never;
    /// How long after the first send the venue drops a repeated id; 0: not at all.
    std::chrono::nanoseconds resend_within{0};
    /// Most that the venue's clock and ours may differ, where an order's age is judged.
    std::chrono::nanoseconds clock_tolerance{1'000'000'000};
    std::chrono::nanoseconds within{30'000'000'000};  ///< a permit for the order is had by then
    Backoff backoff = {};                             ///< between lookups that had no answer
    OrderIdRules ids = {};
    OrderLedger* ledger = nullptr;  ///< null: one that the process keeps in memory
    Breaker* breaker = nullptr;
    FallbackBudget* fallback = nullptr;
    /// Called beside the halt when an order is unknown.
    std::function<void(const OrderResult&)> kill_switch = {};
};

/// With the venue's own times and id rules, as far as its profile states them.
OrderPolicy order_policy_of(const Profile& profile);

struct Order {
    std::string client_id = {};
    bool make_id = false;  ///< make one where client_id is blank
    std::string symbol = {};
    Cost cost = {};
    Cost lookup_cost = {};
};

/// What one lookup says.
struct Finding {
    Reply reply = {};
    int orders = -1;                 ///< how many bear the id; -1: the reply did not tell
    std::int64_t placed_utc_ns = 0;  ///< when, by the venue's clock; 0: it did not tell
    std::string venue_id = {};
    std::string status = {};  ///< the venue's word: NEW, FILLED
};

struct OrderResult {
    OrderState state = OrderState::refused;
    std::string client_id = {};
    std::string symbol = {};
    std::string reason = {};  ///< one sentence; empty when placed
    std::uint32_t sends = 0;
    std::uint32_t lookups = 0;
    bool is_by_lookup = false;  ///< placed: a lookup found it, `finding` says how it stands
    bool halted = false;
    Finding finding = {};  ///< of the last lookup
    std::chrono::nanoseconds looked_for{
        0};  ///< not_placed: how long after the last send it was not there
    BootTime first_sent_at = {};
    BootTime last_sent_at = {};
    std::int64_t first_sent_utc_ns = 0;
    BootTime until = {};
    Reply reply = {};  ///< to the last send; views of the caller's own memory
    Advice advice = {};
    Refusal refusal = Refusal::none;
    std::optional<Error> error = {};
    std::exception_ptr exception = {};

    explicit operator bool() const noexcept { return state == OrderState::placed; }
};

using SendOrder = FunctionRef<Reply(const Permit&, std::string_view client_id)>;
using LookUpOrder = FunctionRef<Finding(const Permit&, std::string_view client_id)>;

OrderResult place_order(Budget& budget, const Order& order, const OrderPolicy& policy,
                        SendOrder send, LookUpOrder look_up) noexcept;

/// Finds out what became of an unsettled order of the ledger. Sends nothing but lookups.
OrderResult settle_order(Budget& budget, const OrderLedger::Entry& entry, const Cost& lookup_cost,
                         const OrderPolicy& policy, LookUpOrder look_up) noexcept;

}  // namespace ratecoord
