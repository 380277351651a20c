// SPDX-License-Identifier: Apache-2.0
//
// Which client order ids were used, and what became of each: the memory that a killed bot leaves
// behind.
//
//     auto ledger = ratecoord::OrderLedger::open("/var/lib/bot/orders.ledger");
//     for (const auto& order : ledger->unsettled()) ...   // settle_order() of orders.hpp
//
// PROMISE  L1  begin() has written the id to the file when it returns; only then is the order sent.
//              What was begun and never ended is unsettled, in the next life too.
//          L2  An id is begun once: by this process, an earlier life, or another process with the
//              same file, whichever wrote first.
//          L3  A line that cannot be read is never taken for an order that is settled: open()
//              refuses the file. A last line cut off by a crash was never begun, and is removed.
// STATE    Text, a line for each begin and end, each with a checksum. With `sync` a line is on the
//          disk before begin() returns, so that orders survive the host's crash as well.
// SHARING  Any thread at once; several processes may share a file, one of them alone while it
//          opens.
// ERRORS   invalid_argument, permission_denied, out_of_space, segment_corrupt (L3), system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/result.hpp>

namespace ratecoord {

namespace retry {
class Placement;
}

/// What became of an order. Names stand in ledgers: never rename.
enum class OrderState : std::uint8_t {
    placed,      ///< the venue has it
    rejected,    ///< the venue refused it
    auth,        ///< wrong key or signature: refused
    limited,     ///< refused by the limiter: come back at `until`
    banned,      ///< this host is stopped until `until`: refused
    busy,        ///< refused by a venue in trouble: come back at `until`
    not_sent,    ///< no byte left: its id may be used again
    not_placed,  ///< lookups over the whole window show nothing
    unknown,     ///< nobody can say: the halt is set, a person or a reconciliation must look
    refused,     ///< not sent: the budget, the ledger or the order itself said no
};
const char* name_of(OrderState state) noexcept;

class OrderLedger {
  public:
    struct Options {
        bool sync = false;
    };
    struct Entry {
        std::string client_id;
        std::string symbol;
        std::int64_t begun_utc_ns = 0;
        OrderState state = OrderState::unknown;
        bool is_settled = false;
    };

    /// Remembers for as long as this process lives.
    static OrderLedger in_memory();
    static Result<OrderLedger> open(const std::string& path, Options options);
    static Result<OrderLedger> open(const std::string& path) { return open(path, Options()); }

    OrderLedger(OrderLedger&&) noexcept;
    OrderLedger& operator=(OrderLedger&&) noexcept;
    ~OrderLedger();

    /// False: the id was used before.
    Result<bool> begin(std::string_view client_id, std::string_view symbol, std::int64_t utc_ns);
    /// An id whose order was not sent may be begun again.
    Result<void> end(std::string_view client_id, OrderState state);

    /// Begun, and not ended by anybody: oldest first.
    std::vector<Entry> unsettled() const;
    /// Ended as unknown: for the reconciliation.
    std::vector<Entry> unknown() const;
    std::size_t size() const;

  private:
    friend class retry::Placement;
    struct Book;
    explicit OrderLedger(std::unique_ptr<Book> book) noexcept;
    /// A halt that should stand and could not be set: tried again before anything opens.
    bool owes_halt() const noexcept;
    void owe_halt(bool owes) noexcept;
    std::unique_ptr<Book> book_;
};

}  // namespace ratecoord
