// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/venue.hpp"

#include "mock-venue/option_text.hpp"
#include "mock-venue/order_routes.hpp"

namespace mock_venue {

namespace {

Reply unanswered() {
    Reply reply;
    reply.status = 0;
    return reply;
}

// A gateway's word, not the venue's: no body, no counts.
Reply gateway_timeout() {
    Reply reply;
    reply.status = 504;
    return reply;
}

}  // namespace

Venue::Venue(const VenueRules& rules, Instant opened, ArrivalLog& log)
    : rules_(rules),
      opened_(opened),
      log_(log),
      limits_(rules.limits),
      costs_(rules.routes, limits_),
      bans_(rules.ladder, rules.ban_status),
      faults_(rules.injections, opened),
      fates_(rules.order_chances, rules.seed) {}

Reply Venue::answer(const Request& request) {
    ++tally_.requests;
    if (!tally_.first_arrival) tally_.first_arrival = request.now;
    tally_.last_arrival = request.now;
    Visit visit{request, {}, {}, std::nullopt, std::nullopt};
    Reply reply = decide(visit);
    reply.delay += rules_.latency;
    ++tally_.by_status[reply.status];
    if (visit.rejected) ++tally_.rejected[reply.status];
    if (visit.accepted) {
        ++tally_.accepted;
        tally_.last_accepted = request.now;
    }
    record(visit, reply);
    return reply;
}

Reply Venue::decide(Visit& visit) {
    const Request& request = visit.request;
    const OrderFate fate = changes_orders(request) ? fates_.draw() : OrderFate{};
    if (fate.request_lost) return unanswered();
    try {
        visit.charges = costs_.charges(request, limits_);
    } catch (const InvalidText& error) {
        return error_reply(400, -1100, std::string("Cannot read the cost: ") + error.what() + ".");
    }
    if (auto faulty = fault(visit)) return *faulty;
    if (const auto standing = bans_.arrive(request.address, request.now)) {
        return ban(visit, *standing);
    }
    if (const auto refusal = limits_.refusal(visit.charges, request.now)) {
        return refuse(visit, *refusal);
    }
    limits_.charge(visit.charges, request.now, true);
    visit.accepted = true;
    return serve(visit, fate);
}

std::optional<Reply> Venue::fault(Visit& visit) {
    const auto met = faults_.meet(tally_.requests, visit.request.now);
    if (!met) return std::nullopt;
    if (!met->stop_from) return bare_reply(rules_.voice, met->status);
    const Ban stop =
        bans_.stop_venue("inject", met->status, *met->stop_from, *met->stop_until, met->extends);
    // A stop that began at a set time already stands: the request meets it like any other.
    if (*met->stop_from < visit.request.now) return std::nullopt;
    return ban(visit, stop);
}

Reply Venue::ban(Visit& visit, const Ban& ban) {
    visit.rejected = true;
    visit.until = ban.until;
    return banned_reply(rules_.voice, ban, visit.request.now);
}

Reply Venue::refuse(Visit& visit, const Refusal& refusal) {
    const Instant now = visit.request.now;
    visit.rejected = true;
    visit.refused_by = refusal.limit;
    if (rules_.count_rejected) limits_.charge(visit.charges, now, false);
    if (const auto earned = bans_.reject(visit.request.address, now, now + refusal.wait)) {
        return ban(visit, *earned);
    }
    visit.until = now + refusal.wait;
    Reply reply = refused_reply(rules_.voice, limits_.spec(refusal.limit), refusal.wait, now);
    visit.usage = limits_.usage(visit.charges, now);
    add_usage_headers(rules_.voice, limits_, visit.charges, visit.usage, now, reply);
    return reply;
}

Reply Venue::serve(Visit& visit, const OrderFate& fate) {
    const Request& request = visit.request;
    const auto account = request.header(rules_.account_header).value_or("");
    std::optional<Reply> order;
    if (!fate.failed || fate.failed_applied) order = answer_order(orders_, account, request);
    if (order && fate.duplicated) order = answer_order(orders_, account, request);
    if (fate.hidden) hide_order(orders_, account, request, fates_.hide_for());
    visit.usage = limits_.usage(visit.charges, request.now);
    if (fate.answer_lost) return unanswered();
    if (fate.failed) return gateway_timeout();
    Reply reply = order ? *order : market_reply(rules_.voice, limits_, request);
    if (fate.slow) reply.delay += fates_.slow_by();
    add_usage_headers(rules_.voice, limits_, visit.charges, visit.usage, request.now, reply);
    return reply;
}

void Venue::record(const Visit& visit, const Reply& reply) {
    if (!log_.enabled()) return;
    const Request& request = visit.request;
    ArrivalRecord line;
    line.n = tally_.requests;
    line.at = request.now;
    line.boot_time = request.boot_time;
    line.method = request.method;
    line.path = request.path;
    line.status = reply.status;
    line.accepted = visit.accepted;
    for (const Charge& charge : visit.charges) {
        line.charges.emplace_back(limits_.spec(charge.limit).name, charge.units);
    }
    line.account = request.header(rules_.account_header);
    line.label = request.header(rules_.label_header);
    line.address = request.address;
    if (visit.refused_by) line.refused_by = limits_.spec(*visit.refused_by).name;
    line.until = visit.until;
    for (const Usage& usage : visit.usage) {
        line.used.emplace_back(limits_.spec(usage.limit).name, usage.used);
    }
    log_.add(line);
}

Ban Venue::ban_everyone(Instant now, Nanos length, unsigned status) {
    const Nanos scaled = length / static_cast<std::int64_t>(rules_.time_scale);
    return bans_.stop_venue("admin", status, now, now + scaled, false);
}

void Venue::change_limit(std::string_view name, std::uint64_t quota, std::uint64_t burst,
                         Instant now) {
    const auto limit = limits_.find(name);
    if (!limit) throw InvalidText("there is no limit '" + std::string(name) + "'");
    if (quota == 0) throw InvalidText("the quota must be at least 1");
    if (burst != 0 && limits_.spec(*limit).kind != LimitKind::bucket) {
        throw InvalidText("burst belongs to kind=bucket only");
    }
    limits_.set_quota(*limit, quota, burst, now);
}

}  // namespace mock_venue
