// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/order_routes.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "mock-venue/option_text.hpp"
#include "mock-venue/replies.hpp"

namespace mock_venue {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view order_path = "/api/v3/order";
constexpr std::string_view open_orders_path = "/api/v3/openOrders";

std::string_view name_of(OrderStatus status) {
    switch (status) {
        case OrderStatus::filled:
            return "FILLED";
        case OrderStatus::canceled:
            return "CANCELED";
        case OrderStatus::open:
            break;
    }
    return "NEW";
}

ordered_json to_json(const Order& order) {
    const OrderRequest& request = order.request;
    return {
        {"symbol", request.symbol},
        {"orderId", order.id},
        {"clientOrderId", request.client_id},
        {"price", request.price.empty() ? "0" : request.price},
        {"origQty", request.quantity.empty() ? "0" : request.quantity},
        {"executedQty",
         order.status == OrderStatus::filled && !request.quantity.empty() ? request.quantity : "0"},
        {"status", name_of(order.status)},
        {"type", request.type},
        {"side", request.side},
        {"transactTime", epoch_ms(order.placed_at)}};
}

Reply reply_to(const OrderOutcome& outcome) {
    if (const auto* const error = std::get_if<OrderError>(&outcome)) {
        return error_reply(400, error->code, error->message);
    }
    return json_reply(to_json(std::get<Order>(outcome)));
}

std::string value_of(const Request& request, std::string_view name) {
    const std::string* const value = request.parameter(name);
    return value == nullptr ? std::string() : *value;
}

Reply missing(std::string_view name) {
    return error_reply(400, -1102,
                       "Mandatory parameter '" + std::string(name) +
                           "' was not sent, was empty/null, or malformed.");
}

Reply place(OrderBook& book, std::string_view account, const Request& request) {
    for (const std::string_view name : {"symbol", "side", "type"}) {
        if (value_of(request, name).empty()) return missing(name);
    }
    OrderRequest order{value_of(request, "symbol"), value_of(request, "side"),
                       value_of(request, "type"),   value_of(request, "newClientOrderId"),
                       value_of(request, "price"),  value_of(request, "quantity")};
    return reply_to(book.place(account, std::move(order), request.now));
}

Reply find_or_cancel(OrderBook& book, std::string_view account, const Request& request) {
    OrderName name{value_of(request, "symbol"), 0, value_of(request, "origClientOrderId")};
    if (name.symbol.empty()) return missing("symbol");
    if (const std::string* const id = request.parameter("orderId")) {
        try {
            name.id = read_number(*id);
        } catch (const InvalidText&) {
            return missing("orderId");
        }
    }
    if (name.id == 0 && name.client_id.empty()) return missing("orderId");
    return reply_to(request.method == "GET" ? book.find(account, name, request.now)
                                            : book.cancel(account, name));
}

}  // namespace

bool changes_orders(const Request& request) {
    return request.path == order_path && (request.method == "POST" || request.method == "DELETE");
}

void hide_order(OrderBook& book, std::string_view account, const Request& request, Nanos length) {
    if (request.method != "POST") return;
    book.hide(account, value_of(request, "newClientOrderId"), request.now + length);
}

std::optional<Reply> answer_order(OrderBook& book, std::string_view account,
                                  const Request& request) {
    if (request.path == open_orders_path && request.method == "GET") {
        ordered_json list = ordered_json::array();
        for (const Order& order : book.open_orders(account, value_of(request, "symbol"))) {
            list.push_back(to_json(order));
        }
        return json_reply(list);
    }
    if (request.path != order_path) return std::nullopt;
    if (request.method == "POST") return place(book, account, request);
    if (request.method == "GET" || request.method == "DELETE") {
        return find_or_cancel(book, account, request);
    }
    return std::nullopt;
}

}  // namespace mock_venue
