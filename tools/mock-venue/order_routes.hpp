// SPDX-License-Identifier: Apache-2.0
//
// The HTTP face of the order book, in the shapes of Binance Spot.
//
//     POST   /api/v3/order        symbol, side, type; newClientOrderId, price, quantity
//     GET    /api/v3/order        symbol; orderId or origClientOrderId
//     DELETE /api/v3/order        symbol; orderId or origClientOrderId
//     GET    /api/v3/openOrders   symbol is optional
#pragma once

#include <optional>
#include <string_view>

#include "mock-venue/orders.hpp"
#include "mock-venue/request.hpp"

namespace mock_venue {

// True for the requests that change the book: only these can be slow or go astray.
bool changes_orders(const Request& request);

// Hides the order that `request` just placed from lookups.
void hide_order(OrderBook& book, std::string_view account, const Request& request, Nanos length);

// The answer, if this is an order route.
std::optional<Reply> answer_order(OrderBook& book, std::string_view account,
                                  const Request& request);

}  // namespace mock_venue
