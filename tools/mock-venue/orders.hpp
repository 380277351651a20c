// SPDX-License-Identifier: Apache-2.0
//
// The venue's orders: no matching, just enough life to tell "applied" from "not applied".
//
// PROMISE  O1  A client order id is unique among the open orders of its account, and only there:
//              once an order is filled or canceled its id may be used again.
//          O2  A MARKET order fills at once; every other type stays open until canceled.
//          O3  A lookup by client order id finds the newest order that bore it, once it is visible.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "mock-venue/venue_time.hpp"

namespace mock_venue {

enum class OrderStatus { open, filled, canceled };

struct OrderRequest {
    std::string symbol;
    std::string side;
    std::string type;
    std::string client_id;  // empty: the venue makes one up
    std::string price;
    std::string quantity;
};

struct Order {
    std::uint64_t id = 0;
    OrderRequest request;
    OrderStatus status = OrderStatus::open;
    Instant placed_at{};
    Instant visible_at = Instant::min();
};

// The code and message of a refusal, as the venue words it.
struct OrderError {
    int code = 0;
    std::string message;
};

using OrderOutcome = std::variant<Order, OrderError>;

// How a lookup or a cancel names an order; an id of 0 means the client id is meant.
struct OrderName {
    std::string symbol;
    std::uint64_t id = 0;
    std::string client_id;
};

class OrderBook {
  public:
    OrderOutcome place(std::string_view account, OrderRequest request, Instant now);
    OrderOutcome find(std::string_view account, const OrderName& name,
                      Instant now = Instant::max()) const;
    OrderOutcome cancel(std::string_view account, const OrderName& name);

    // Oldest first; an empty symbol means all.
    std::vector<Order> open_orders(std::string_view account, std::string_view symbol) const;

    // No lookup finds the newest order that bears the id before `until`.
    void hide(std::string_view account, const std::string& client_id, Instant until);

    struct Placed {
        std::string account;
        Order order;
    };
    // Every order that is remembered, account by account, oldest first.
    std::vector<Placed> all() const;

    std::uint64_t placed() const { return last_id_; }
    std::uint64_t duplicates() const { return duplicates_; }

  private:
    struct Account {
        std::map<std::uint64_t, Order> orders;
        std::unordered_map<std::string, std::uint64_t> newest_by_client_id;
        std::map<std::string, std::uint64_t> open_by_client_id;
        std::deque<std::uint64_t> closed;
    };

    static void close(Account& account, Order& order, OrderStatus status);
    const Order* look_up(std::string_view account, const OrderName& name) const;

    std::map<std::string, Account, std::less<>> accounts_;
    std::uint64_t last_id_ = 0;
    std::uint64_t duplicates_ = 0;
};

}  // namespace mock_venue
