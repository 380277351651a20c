// SPDX-License-Identifier: Apache-2.0
//
// The venue: takes one request at a time and decides, counts, answers and logs it.
//
// ORDER    A request goes through, in this order: an order lost on its way; an unreadable cost; an
//          injected fault; a standing ban; the limits; the ladder; then it is answered.
// TIME     Reads no clock: every request carries the instant of its arrival.
// SHARING  One thread. The counters are exact because nothing else moves in between.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mock-venue/arrival_log.hpp"
#include "mock-venue/bans.hpp"
#include "mock-venue/faults.hpp"
#include "mock-venue/limit_table.hpp"
#include "mock-venue/orders.hpp"
#include "mock-venue/replies.hpp"
#include "mock-venue/request.hpp"
#include "mock-venue/routes.hpp"

namespace mock_venue {

// All durations as they are counted, that is after the time scale.
struct VenueRules {
    std::vector<LimitSpec> limits;
    std::vector<Route> routes;
    LadderRule ladder;
    unsigned ban_status = 418;
    bool count_rejected = false;
    Voice voice;
    std::vector<Injection> injections;
    OrderChances order_chances;
    std::uint64_t seed = 1;
    std::uint64_t time_scale = 1;
    Nanos latency{};
    std::string account_header = "X-Account";
    std::string label_header = "X-Worker";
};

struct Tally {
    std::uint64_t requests = 0;
    std::uint64_t accepted = 0;                   // charged and answered or lost on the way back
    std::map<unsigned, std::uint64_t> rejected;   // by the limits or a ban, by status
    std::map<unsigned, std::uint64_t> by_status;  // every request; 0 for those left unanswered
    std::optional<Instant> first_arrival;
    std::optional<Instant> last_arrival;
    std::optional<Instant> last_accepted;
};

class Venue {
  public:
    // `log` must outlive the venue. Throws InvalidText where a route names an unknown limit.
    Venue(const VenueRules& rules, Instant opened, ArrivalLog& log);

    Reply answer(const Request& request);

    // Bans every request from `now` on, for `length` of the venue's time.
    Ban ban_everyone(Instant now, Nanos length, unsigned status);

    // Throws InvalidText where there is no such limit or the quota cannot be.
    void change_limit(std::string_view name, std::uint64_t quota, std::uint64_t burst, Instant now);

    const Tally& tally() const { return tally_; }
    const LimitTable& limits() const { return limits_; }
    const Bans& bans() const { return bans_; }
    const OrderBook& orders() const { return orders_; }
    Instant opened() const { return opened_; }
    bool flush_log() { return log_.flush(); }

  private:
    // What is known about the request so far; becomes its line in the log.
    struct Visit {
        const Request& request;
        std::vector<Charge> charges;
        std::vector<Usage> usage;
        std::optional<std::size_t> refused_by;
        std::optional<Instant> until;
        bool accepted = false;
        bool rejected = false;
    };

    Reply decide(Visit& visit);
    std::optional<Reply> fault(Visit& visit);
    Reply ban(Visit& visit, const Ban& ban);
    Reply refuse(Visit& visit, const Refusal& refusal);
    Reply serve(Visit& visit, const OrderFate& fate);
    void record(const Visit& visit, const Reply& reply);

    VenueRules rules_;
    Instant opened_;
    ArrivalLog& log_;
    LimitTable limits_;
    CostBook costs_;
    Bans bans_;
    FaultPlan faults_;
    OrderFates fates_;
    OrderBook orders_;
    Tally tally_;
};

}  // namespace mock_venue
