// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/replies.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace mock_venue {

namespace {

using nlohmann::ordered_json;

std::string upper(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

void add_retry_after(RetryAfter style, Instant until, Instant now, Reply& reply) {
    if (style == RetryAfter::none) return;
    if (style == RetryAfter::seconds) {
        reply.headers.emplace_back("Retry-After", std::to_string(seconds_up(until - now)));
        return;
    }
    // A date has whole seconds: the next one, so that it never lies before the true end.
    const auto whole = std::chrono::ceil<std::chrono::seconds>(until);
    reply.headers.emplace_back("Retry-After", http_date(whole));
}

Reply text_reply(unsigned status, std::string_view type, std::string_view body) {
    Reply reply;
    reply.status = status;
    reply.content_type = type;
    reply.body = body;
    return reply;
}

Reply forbidden_reply(Dialect dialect) {
    if (dialect == Dialect::bybit) return text_reply(403, "text/plain", "403, access too frequent");
    return text_reply(403, "text/html", "<html><head><title>403 Forbidden</title></head></html>");
}

// "current limit is 6000 request weight per 1 MINUTE", for each kind of limit in its own words.
std::string refusal_message(const LimitSpec& limit) {
    const std::string quota = std::to_string(limit.quota);
    const std::string per = " per " + message_window(limit.published) + ".";
    if (limit.name == "orders")
        return "Too many new orders; current limit is " + quota + " orders" + per;
    if (limit.name == "weight") {
        return "Too much request weight used; current limit is " + quota + " request weight" + per +
               " Please use WebSocket Streams for live updates to avoid polling the API.";
    }
    return "Too many requests; current limit is " + quota + " " + limit.name + per;
}

ordered_json published_limits(const LimitTable& limits) {
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const LimitSpec& spec = limits.spec(i);
        const std::string window = message_window(spec.published);
        const auto blank = window.find(' ');
        const std::string type = spec.name == "weight"   ? "REQUEST_WEIGHT"
                                 : spec.name == "orders" ? "ORDERS"
                                 : spec.name == "raw"    ? "RAW_REQUESTS"
                                                         : upper(spec.name);
        list.push_back({{"rateLimitType", type},
                        {"interval", window.substr(blank + 1)},
                        {"intervalNum", std::stoll(window.substr(0, blank))},
                        {"limit", spec.quota}});
    }
    return list;
}

}  // namespace

Reply json_reply(const ordered_json& body) {
    Reply reply;
    // Ids come from clients as bytes; what is not UTF-8 must not make the venue throw.
    reply.body = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    return reply;
}

Reply error_reply(unsigned status, int code, std::string_view message) {
    Reply reply = json_reply({{"code", code}, {"msg", message}});
    reply.status = status;
    return reply;
}

Reply refused_reply(const Voice& voice, const LimitSpec& limit, Nanos wait, Instant now) {
    Reply reply =
        voice.dialect == Dialect::bybit
            ? json_reply({{"retCode", 10006},
                          {"retMsg", "Too many visits!"},
                          {"result", ordered_json::object()},
                          {"retExtInfo", ordered_json::object()},
                          {"time", epoch_ms(now)}})
            : error_reply(429, limit.name == "orders" ? -1015 : -1003, refusal_message(limit));
    reply.status = 429;
    add_retry_after(voice.retry_after, now + wait, now, reply);
    return reply;
}

Reply banned_reply(const Voice& voice, const Ban& ban, Instant now) {
    const std::string until = std::to_string(epoch_ms_up(ban.until));
    Reply reply =
        ban.status == 403
            ? forbidden_reply(voice.dialect)
            : error_reply(ban.status, -1003,
                          ban.status == 429
                              ? "Too many requests queued."
                              : "Way too much request weight used; IP banned until " + until +
                                    ". Please use WebSocket Streams for live updates to avoid "
                                    "bans.");
    // Bybit's 403 names no wait; a client has to know that it is ten minutes.
    if (voice.dialect == Dialect::bybit && ban.status == 403) return reply;
    add_retry_after(voice.retry_after, ban.until, now, reply);
    return reply;
}

Reply bare_reply(const Voice& voice, unsigned status) {
    if (status < 300) return json_reply(ordered_json::object());
    switch (status) {
        case 403:
            return forbidden_reply(voice.dialect);
        case 418:
        case 429:
            return error_reply(status, -1003, "Too many requests queued.");
        case 503:
            return error_reply(status, -1001, "Service Unavailable.");
        case 504:
            return error_reply(status, -1007,
                               "Timeout waiting for response from backend server. Send status "
                               "unknown; execution status unknown.");
        default:
            return error_reply(status, -1000,
                               "Unknown error, please check your request or try again later.");
    }
}

Reply market_reply(const Voice& voice, const LimitTable& limits, const Request& request) {
    if (voice.dialect == Dialect::bybit) {
        return json_reply({{"retCode", 0},
                           {"retMsg", "OK"},
                           {"result", ordered_json::object()},
                           {"retExtInfo", ordered_json::object()},
                           {"time", epoch_ms(request.now)}});
    }
    if (request.path == "/api/v3/time") {
        return json_reply({{"serverTime", epoch_ms(request.now)}});
    }
    if (request.path == "/api/v3/exchangeInfo") {
        return json_reply({{"timezone", "UTC"},
                           {"serverTime", epoch_ms(request.now)},
                           {"rateLimits", published_limits(limits)},
                           {"exchangeFilters", ordered_json::array()},
                           {"symbols", ordered_json::array()}});
    }
    Reply reply;
    reply.body = "{}";
    return reply;
}

void add_usage_headers(const Voice& voice, const LimitTable& limits,
                       const std::vector<Charge>& charges, const std::vector<Usage>& usage,
                       Instant now, Reply& reply) {
    for (std::size_t i = 0; i < usage.size(); ++i) {
        const LimitSpec& spec = limits.spec(usage[i].limit);
        if (spec.keyed() && charges[i].units == 0) continue;
        const std::string used = std::to_string(usage[i].used);
        if (voice.dialect == Dialect::bybit) {
            const std::uint64_t most = spec.kind == LimitKind::bucket ? spec.burst : spec.quota;
            const std::uint64_t left = most - std::min(most, usage[i].used);
            const Instant reset = left > 0 ? now : usage[i].reset_at;
            reply.headers.emplace_back("X-Bapi-Limit", std::to_string(most));
            reply.headers.emplace_back("X-Bapi-Limit-Status", std::to_string(left));
            reply.headers.emplace_back("X-Bapi-Limit-Reset-Timestamp",
                                       std::to_string(epoch_ms_up(reset)));
            return;  // Bybit's replies name one limit
        }
        const std::string window = header_window(spec.published);
        if (spec.name == "orders") {
            reply.headers.emplace_back("X-MBX-ORDER-COUNT-" + window, used);
            continue;
        }
        if (spec.name == "weight") reply.headers.emplace_back("X-MBX-USED-WEIGHT", used);
        reply.headers.emplace_back("X-MBX-USED-" + upper(spec.name) + "-" + window, used);
    }
}

}  // namespace mock_venue
