// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/admin.hpp"

#include <nlohmann/json.hpp>

#include "mock-venue/option_text.hpp"

namespace mock_venue {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view prefix = "/_mock/";

ordered_json ns_or_null(const std::optional<Instant>& instant) {
    return instant ? ordered_json(epoch_ns(*instant)) : ordered_json(nullptr);
}

ordered_json by_status(const std::map<unsigned, std::uint64_t>& counts) {
    ordered_json object = ordered_json::object();
    for (const auto& [status, count] : counts) object[std::to_string(status)] = count;
    return object;
}

ordered_json limit_json(const LimitReport& report) {
    ordered_json keys = ordered_json::array();
    for (const auto& [key, counter] : report.counters) {
        ordered_json windows = ordered_json::array();
        for (const ClosedWindow& window : counter->closed_windows()) {
            windows.push_back({{"start_ns", epoch_ns(window.start)}, {"used", window.used}});
        }
        keys.push_back({{"key", key}, {"closed_windows", std::move(windows)}});
    }
    const LimitSpec& spec = *report.spec;
    return {{"name", spec.name},
            {"kind", name_of(spec.kind)},
            {"quota", spec.quota},
            {"window_ns", spec.window.count()},
            {"burst", spec.kind == LimitKind::bucket ? ordered_json(spec.burst) : nullptr},
            {"per", spec.keyed() ? spec.per : "ip"},
            {"max_used", report.max_used},
            {"charged", report.charged},
            {"refused", report.refused},
            {"keys", std::move(keys)}};
}

ordered_json ban_json(const BanRecord& ban) {
    return {{"cause", ban.cause},
            {"ip", ban.address.empty() ? ordered_json(nullptr) : ordered_json(ban.address)},
            {"status", ban.status},
            {"started_ns", epoch_ns(ban.started)},
            {"until_ns", epoch_ns(ban.until)},
            {"arrivals", ban.arrivals},
            {"last_arrival_ns", ns_or_null(ban.last_arrival)}};
}

ordered_json stats(const Venue& venue, Instant now) {
    const Tally& tally = venue.tally();
    ordered_json limits = ordered_json::array();
    for (const LimitReport& report : venue.limits().report()) limits.push_back(limit_json(report));
    ordered_json bans = ordered_json::array();
    for (const BanRecord& ban : venue.bans().records()) bans.push_back(ban_json(ban));
    return {{"schema", 1},
            {"opened_ns", epoch_ns(venue.opened())},
            {"now_ns", epoch_ns(now)},
            {"requests", tally.requests},
            {"accepted", tally.accepted},
            {"rejected", by_status(tally.rejected)},
            {"by_status", by_status(tally.by_status)},
            {"first_arrival_ns", ns_or_null(tally.first_arrival)},
            {"last_arrival_ns", ns_or_null(tally.last_arrival)},
            {"last_accepted_ns", ns_or_null(tally.last_accepted)},
            {"limits", std::move(limits)},
            {"bans", std::move(bans)},
            {"orders",
             {{"placed", venue.orders().placed()}, {"duplicates", venue.orders().duplicates()}}}};
}

const std::string& required(const Request& request, std::string_view name) {
    const std::string* const value = request.parameter(name);
    if (value == nullptr) throw InvalidText("the parameter '" + std::string(name) + "' is missing");
    return *value;
}

std::uint64_t number_or(const Request& request, std::string_view name, std::uint64_t otherwise) {
    const std::string* const value = request.parameter(name);
    return value == nullptr ? otherwise : read_number(*value);
}

Reply ban(Venue& venue, const Request& request) {
    const Nanos length = read_duration(required(request, "seconds") + "s");
    const std::uint64_t status = number_or(request, "status", 418);
    if (status < 400 || status > 499) throw InvalidText("a ban has a status between 400 and 499");
    const Ban set = venue.ban_everyone(request.now, length, static_cast<unsigned>(status));
    return json_reply({{"schema", 1}, {"until_ns", epoch_ns(set.until)}});
}

Reply change_limit(Venue& venue, const Request& request) {
    const std::string& name = required(request, "name");
    const std::uint64_t quota = read_number(required(request, "quota"));
    venue.change_limit(name, quota, number_or(request, "burst", 0), request.now);
    return json_reply({{"schema", 1}, {"name", name}, {"quota", quota}});
}

Reply time(const Request& request) {
    return json_reply({{"schema", 1},
                       {"serverTime", epoch_ms(request.now)},
                       {"t_ns", epoch_ns(request.now)},
                       {"boot_ns", request.boot_time.count()}});
}

Reply all_orders(const Venue& venue) {
    ordered_json list = ordered_json::array();
    for (const auto& [account, order] : venue.orders().all()) {
        list.push_back({{"account", account},
                        {"orderId", order.id},
                        {"clientOrderId", order.request.client_id},
                        {"symbol", order.request.symbol},
                        {"open", order.status == OrderStatus::open}});
    }
    return json_reply({{"schema", 1}, {"orders", std::move(list)}});
}

Reply bad_request(unsigned status, std::string_view message) {
    Reply reply = json_reply({{"schema", 1}, {"error", message}});
    reply.status = status;
    return reply;
}

}  // namespace

bool is_admin(std::string_view path) {
    return path.starts_with(prefix);
}

AdminAnswer answer_admin(Venue& venue, const Request& request) {
    const std::string_view name = request.path.substr(prefix.size());
    const bool get = request.method == "GET";
    const bool post = request.method == "POST";
    try {
        if (get && name == "stats") return {json_reply(stats(venue, request.now))};
        if (get && name == "time") return {time(request)};
        if (get && name == "orders") return {all_orders(venue)};
        if (post && name == "ban") return {ban(venue, request)};
        if (post && name == "limit") return {change_limit(venue, request)};
        if (post && name == "quit") return {json_reply({{"schema", 1}, {"quit", true}}), true};
        if (post && name == "flush") {
            return {json_reply({{"schema", 1}, {"complete", venue.flush_log()}})};
        }
    } catch (const InvalidText& error) {
        return {bad_request(400, error.what())};
    }
    return {bad_request(404, "no such admin route; see mock-venue --help")};
}

}  // namespace mock_venue
