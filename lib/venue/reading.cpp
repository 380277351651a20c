// SPDX-License-Identifier: Apache-2.0
#include "venue/reading.hpp"

#include <algorithm>

#include "venue/signals.hpp"
#include "venue/waits.hpp"

namespace ratecoord::venue {
namespace {

constexpr std::int64_t day_ns = 86'400 * second_ns;

const Operation* operation_of(const Profile& profile, std::uint16_t index) {
    return index < profile.operations.size() ? &profile.operations[index] : nullptr;
}

/// What is not known to be idempotent is an order.
bool is_order(const Operation* operation) {
    return operation == nullptr || !operation->is_idempotent;
}

Action unknown(const Operation* operation) {
    return is_order(operation) ? Action::unknown_outcome : Action::retry_later;
}

Action by_status(const Profile& profile, int status, const Operation* operation) {
    switch (status) {
        case 0:  // a frame that says nothing of itself
        case 304:
            return Action::ok;
        case 401:
            return Action::auth;
        case 403:
            return profile.has_firewall_403 ? Action::pause : Action::rejected;
        case 408:
            return unknown(operation);
        case 418:
            return Action::ban;
        case 425:
            return Action::retry_later;
        case 429:
            return Action::pause;
        default:
            break;
    }
    if (status >= 100 && status < 300) return Action::ok;
    if (status >= 300 && status < 500) return Action::rejected;
    return unknown(operation);
}

bool stops(Action action) {
    return action == Action::pause || action == Action::ban;
}

bool has_wait(Action action) {
    return stops(action) || action == Action::retry_later || action == Action::overload ||
           action == Action::unknown_outcome;
}

bool fits_scope(const LimitDefinition& limit, const Reading& reading) {
    return limit.per == reading.per;  // the address: no dimension
}

/// The limit whose next window policy F waits for.
const LimitDefinition* main_limit(const Profile& profile, const Operation* operation,
                                  const Reading& reading) {
    const LimitDefinition* first = nullptr;
    for (std::size_t i = 0; i < profile.limits.size(); ++i) {
        const auto& limit = profile.limits[i].definition;
        if (!fits_scope(limit, reading)) continue;
        if (first == nullptr) first = &limit;
        if (operation == nullptr) break;
        const bool is_drawn = std::any_of(operation->draws.begin(), operation->draws.end(),
                                          [&](const Draw& draw) { return draw.limit == i; });
        if (is_drawn) return &limit;
    }
    return first;
}

/// Policy F.
std::int64_t fallback_ns(const Profile& profile, const Operation* operation, ReplyView& view,
                         const Reading& reading) {
    if (reading.action == Action::ban) return ban_fallback_ns;
    if (reading.status == 403) return firewall_fallback_ns;
    const auto* limit = main_limit(profile, operation, reading);
    if (limit == nullptr) return wait_floor_ns;
    // A day's window does not close the venue for a day on one unexplained 429.
    return std::min(to_next_window(*limit, view.server_ns()), 600 * second_ns);
}

void decide_wait(const Profile& profile, const Signal* signal, const Operation* operation,
                 ReplyView& view, Reading& reading) {
    static const WaitRule retry_after;
    if (!has_wait(reading.action)) return;
    const bool has_own = signal != nullptr && !signal->waits.empty();
    const bool takes_longest = has_own ? signal->takes_longest : profile.takes_longest;
    reading.waits = has_own ? signal->waits : profile.waits;
    if (reading.waits.empty()) reading.waits = {&retry_after, 1};

    std::int64_t ns = 0;
    if (const auto wait = named_wait(profile, view, reading.waits, takes_longest)) {
        ns = wait->ns;
        reading.source = wait->source;
        reading.wait_rule = wait->rule;
    } else if (stops(reading.action)) {
        ns = fallback_ns(profile, operation, view, reading);
        reading.source = WaitSource::fallback;
    }
    if (signal != nullptr && signal->at_least.count() > ns) {
        ns = signal->at_least.count();
        if (reading.source == WaitSource::none) reading.source = WaitSource::fixed;
    }
    const bool is_of_window = reading.source == WaitSource::fallback ||
                              (reading.source == WaitSource::fixed && stops(reading.action));
    if (is_of_window) ns = std::max(ns, wait_floor_ns);
    reading.named_ns = ns;
    reading.was_clamped = ns > profile.longest_wait.count();
    reading.wait_ns = std::min(ns, profile.longest_wait.count());
    if (reading.action == Action::pause) {
        std::int64_t window = 0;
        for (const auto& limit : profile.limits) {
            window = std::max<std::int64_t>(window, limit.definition.window.count());
        }
        reading.is_unusual = ns > add_saturating(window, day_ns);
    }
}

/// E4.
void doubt_success(const Operation* operation, const Reply& reply, Reading& reading) {
    if (reading.action != Action::ok) return;
    // A body that the caller did not hand over cannot be judged; nor can one of an operation that
    // is not known, which may be a page or a picture.
    const bool is_judged = operation != nullptr && is_order(operation) && !reply.body.empty();
    const bool is_broken =
        !reply.is_whole || (is_judged && shape_of(reply.body) == JsonShape::broken);
    if (!is_broken) return;
    reading.is_broken = true;
    reading.action = unknown(operation);
}

void decide_charges(const Operation* operation, Reading& reading) {
    if (operation == nullptr) return;
    const auto add = [&](std::uint16_t limit, std::uint64_t units) {
        if (reading.charge_count < charges_max) {
            reading.charges[reading.charge_count++] = {limit, units};
        }
    };
    if (!reading.is_charged) {
        for (const auto& draw : operation->draws) add(draw.limit, 0);
    } else if (reading.action == Action::ok) {
        for (const auto& charge : operation->charge_ok) add(charge.limit, charge.units);
    } else if (reading.action != Action::unknown_outcome) {
        for (const auto& charge : operation->charge_failed) add(charge.limit, charge.units);
    }
}

void decide_by_signal(const Signal& signal, ReplyView& view, Reading& reading) {
    reading.action = signal.action;
    reading.scope = signal.scope;
    reading.per = signal.per;
    reading.is_charged = signal.is_charged;
    reading.is_duplicate = signal.is_duplicate;
    reading.partly_done = is_partly_done(signal, view);
}

}  // namespace

Reading read(const Profile& profile, const Reply& reply, std::uint16_t index,
             const Times& times) noexcept {
    ReplyView view(reply, times);
    const Operation* operation = operation_of(profile, index);
    Reading reading;
    reading.received_at = view.received_at();
    if (reply.transport != Transport::replied) {
        const bool is_sent = reply.transport == Transport::maybe_sent;
        reading.action = is_sent ? unknown(operation) : Action::retry_later;
        reading.is_charged = is_sent;
        decide_charges(operation, reading);
        return reading;
    }
    reading.status = status_of(profile, view);
    reading.signal = matching_signal(profile, view, reading.status, index);
    const Signal* signal = reading.signal != no_index ? &profile.signals[reading.signal] : nullptr;
    if (signal != nullptr) {
        decide_by_signal(*signal, view, reading);
    } else {
        reading.action = by_status(profile, reading.status, operation);
        if (stops(reading.action)) reading.scope = Scope::address;
    }
    doubt_success(operation, reply, reading);
    decide_wait(profile, signal, operation, view, reading);
    decide_charges(operation, reading);
    reading.counts = read_counts(profile, view, index);
    return reading;
}

BootTime resume_at(const Reading& reading) noexcept {
    if (reading.wait_ns == 0) return {};
    return BootTime(std::chrono::nanoseconds(
        add_saturating(reading.received_at.time_since_epoch().count(), reading.wait_ns)));
}

Advice advice_of(const Profile& profile, const Reading& reading) noexcept {
    Advice advice;
    advice.action = reading.action;
    advice.scope = reading.scope;
    advice.source = reading.source;
    advice.partly_done = reading.partly_done;
    advice.is_duplicate = reading.is_duplicate;
    advice.until = resume_at(reading);
    if (reading.signal != no_index) advice.signal = profile.signals[reading.signal].name;
    return advice;
}

}  // namespace ratecoord::venue
