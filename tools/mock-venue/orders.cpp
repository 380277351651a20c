// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/orders.hpp"

#include <utility>

namespace mock_venue {

void OrderBook::close(Account& account, Order& order, OrderStatus status) {
    // A bound, so that a long load test does not eat the host; far beyond any test's memory.
    constexpr std::size_t remembered = 100'000;
    order.status = status;
    account.open_by_client_id.erase(order.request.client_id);
    account.closed.push_back(order.id);
    if (account.closed.size() <= remembered) return;
    const auto oldest = account.orders.find(account.closed.front());
    account.closed.pop_front();
    const auto newest = account.newest_by_client_id.find(oldest->second.request.client_id);
    if (newest != account.newest_by_client_id.end() && newest->second == oldest->first) {
        account.newest_by_client_id.erase(newest);
    }
    account.orders.erase(oldest);
}

OrderOutcome OrderBook::place(std::string_view account_name, OrderRequest request, Instant now) {
    Account& account = accounts_[std::string(account_name)];
    if (account.open_by_client_id.contains(request.client_id)) {
        ++duplicates_;
        return OrderError{-2010, "Duplicate order sent."};
    }
    const std::uint64_t id = ++last_id_;
    if (request.client_id.empty()) request.client_id = "venue-" + std::to_string(id);
    Order& order = account.orders[id];
    order = {id, std::move(request), OrderStatus::open, now};
    account.newest_by_client_id[order.request.client_id] = id;
    account.open_by_client_id[order.request.client_id] = id;
    Order placed = order;
    if (order.request.type == "MARKET") {
        placed.status = OrderStatus::filled;
        close(account, order, OrderStatus::filled);
    }
    return placed;
}

const Order* OrderBook::look_up(std::string_view account_name, const OrderName& name) const {
    const auto account = accounts_.find(account_name);
    if (account == accounts_.end()) return nullptr;
    std::uint64_t id = name.id;
    if (id == 0) {
        const auto newest = account->second.newest_by_client_id.find(name.client_id);
        if (newest == account->second.newest_by_client_id.end()) return nullptr;
        id = newest->second;
    }
    const auto found = account->second.orders.find(id);
    if (found == account->second.orders.end()) return nullptr;
    return found->second.request.symbol == name.symbol ? &found->second : nullptr;
}

OrderOutcome OrderBook::find(std::string_view account, const OrderName& name, Instant now) const {
    const Order* const order = look_up(account, name);
    if (order == nullptr || order->visible_at > now)
        return OrderError{-2013, "Order does not exist."};
    return *order;
}

OrderOutcome OrderBook::cancel(std::string_view account_name, const OrderName& name) {
    const Order* const found = look_up(account_name, name);
    if (found == nullptr || found->status != OrderStatus::open) {
        return OrderError{-2011, "Unknown order sent."};
    }
    Account& account = accounts_.find(account_name)->second;
    Order canceled = *found;
    canceled.status = OrderStatus::canceled;
    close(account, account.orders.at(canceled.id), OrderStatus::canceled);
    return canceled;
}

void OrderBook::hide(std::string_view account_name, const std::string& client_id, Instant until) {
    const auto account = accounts_.find(account_name);
    if (account == accounts_.end()) return;
    const auto newest = account->second.newest_by_client_id.find(client_id);
    if (newest == account->second.newest_by_client_id.end()) return;
    account->second.orders.at(newest->second).visible_at = until;
}

std::vector<OrderBook::Placed> OrderBook::all() const {
    std::vector<Placed> list;
    for (const auto& [name, account] : accounts_) {
        for (const auto& [id, order] : account.orders) list.push_back({name, order});
    }
    return list;
}

std::vector<Order> OrderBook::open_orders(std::string_view account_name,
                                          std::string_view symbol) const {
    std::vector<Order> open;
    const auto account = accounts_.find(account_name);
    if (account == accounts_.end()) return open;
    std::map<std::uint64_t, const Order*> by_id;
    for (const auto& [client_id, id] : account->second.open_by_client_id) {
        by_id.emplace(id, &account->second.orders.at(id));
    }
    for (const auto& [id, order] : by_id) {
        if (symbol.empty() || order->request.symbol == symbol) open.push_back(*order);
    }
    return open;
}

}  // namespace mock_venue
