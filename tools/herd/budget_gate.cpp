// SPDX-License-Identifier: Apache-2.0
#include "herd/budget_gate.hpp"

#include <algorithm>
#include <stdexcept>

#include "herd/instant.hpp"

namespace herd {

using ratecoord::BootTime;
using ratecoord::Budget;
using ratecoord::Cost;
using ratecoord::Decision;
using ratecoord::Outcome;
using ratecoord::PauseKind;
using ratecoord::Refusal;
using ratecoord::Result;

namespace {

BootTime boot_time(std::int64_t ns) {
    return BootTime(std::chrono::nanoseconds(ns));
}

std::int64_t ns_of(BootTime at) {
    return at.time_since_epoch().count();
}

Outcome outcome_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::accepted:
            return Outcome::ok;
        case Verdict::rejected:
            return Outcome::rejected;
        case Verdict::limited:
        case Verdict::banned:
            return Outcome::limited;
        case Verdict::failed:
            break;
    }
    return Outcome::failed;
}

std::string with_hint(const ratecoord::Error& error) {
    return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

std::int64_t window_of(const ratecoord::Snapshot& snapshot, const std::string& limit) {
    for (const auto& each : snapshot.limits) {
        if (each.definition.name == limit) return each.definition.window.count();
    }
    return 0;
}

}  // namespace

BudgetGate::BudgetGate(Budget& budget, const Options& options, Place place, CallLog& log)
    : budget_(budget),
      log_moves_(options.budget.log_moves),
      place_(place),
      log_(log),
      random_(options.seed + place.worker) {
    price(options, place.worker);
}

void BudgetGate::price(const Options& options, unsigned worker) {
    const auto snapshot = budget_.snapshot();
    if (!snapshot) throw std::runtime_error(with_hint(snapshot.error()));
    for (const RequestKind& kind : options.kinds) {
        Priced priced;
        std::vector<ratecoord::CostItem> items;
        for (const CostPart& part : kind.cost) {
            const KeyRing* const ring = ring_of(options.keys, part.limit);
            items.push_back({part.limit, part.units,
                             ring == nullptr ? std::string_view() : ring->of_worker(worker)});
            priced.window_ns = std::max(priced.window_ns, window_of(*snapshot, part.limit));
        }
        const auto cost = budget_.cost(std::span<const ratecoord::CostItem>(items));
        if (!cost) throw std::runtime_error(with_hint(cost.error()));
        priced.cost = *cost;
        prices_.push_back(priced);
    }
}

// What acquire() does, step by step, so that the log shows when a waiter learns of its new instant.
Result<Decision> BudgetGate::wait_and_tell(const Cost& cost, BootTime deadline) {
    ratecoord::Reservation place_in_line;
    auto decision = budget_.reserve(cost, deadline, place_in_line);
    while (decision && !decision->granted() && place_in_line.id() != 0) {
        const BootTime before = place_in_line.at();
        budget_.wait(place_in_line, deadline);
        const std::uint64_t id = place_in_line.id();
        deciding_ns_ = boot_now_ns();
        decision = budget_.confirm(place_in_line);
        if (!decision || decision->granted() || place_in_line.at() == before) continue;
        log_.moved({place_, id, ns_of(before), ns_of(place_in_line.at()), boot_now_ns()});
    }
    return decision;
}

Admission BudgetGate::admission_of(Result<Decision>& result) {
    Admission admission;
    admission.granted_ns = boot_now_ns();
    admission.deciding_ns = deciding_ns_;
    if (!result) {
        admission.kind = result.error().code == ratecoord::ErrorCode::deadline_exceeded
                             ? Admission::Kind::refused
                             : Admission::Kind::broken;
        admission.come_back_ns = admission.granted_ns;
        admission.text = admission.kind == Admission::Kind::refused ? "deadline_exceeded"
                                                                    : with_hint(result.error());
        return admission;
    }
    Decision& decision = *result;
    if (decision.granted()) {
        permit_ = std::move(decision.permit());
        admission.permit = permit_.id();
        admission.at_ns = ns_of(permit_.at());
        return admission;
    }
    const Refusal refusal = decision.refusal();
    const bool for_good = refusal == Refusal::halted || refusal == Refusal::too_large ||
                          refusal == Refusal::keys_full;
    admission.kind = for_good ? Admission::Kind::broken : Admission::Kind::refused;
    admission.text = name_of(refusal);
    if (for_good) admission.text = "the budget refuses: " + admission.text;
    admission.come_back_ns = std::max(ns_of(decision.retry_at()), ns_of(decision.resume_after()));
    return admission;
}

Admission BudgetGate::ask(std::size_t kind, std::int64_t deadline_ns) {
    kind_ = kind;
    deciding_ns_ = 0;
    const Cost& cost = prices_[kind].cost;
    auto result = log_moves_ ? wait_and_tell(cost, boot_time(deadline_ns))
                             : budget_.acquire(cost, boot_time(deadline_ns));
    return admission_of(result);
}

PauseSet BudgetGate::pause(PauseKind kind, const Reply& reply, std::int64_t wait_ns,
                           std::string_view reason) {
    PauseSet set;
    set.until_ns = reply.replied_ns + wait_ns;
    const auto done = budget_.pause(kind, boot_time(set.until_ns), reason);
    set.in_force_ns = boot_now_ns();
    if (!done) log_.error(place_, "cannot pause: " + with_hint(done.error()));
    return set;
}

std::int64_t BudgetGate::cooldown_ns(const Reply& reply) {
    if (reply.retry_after_ns) return *reply.retry_after_ns;
    const std::int64_t window = std::max(prices_[kind_].window_ns, second_ns);
    const std::int64_t to_boundary = window - utc_now_ns() % window;
    const std::int64_t jitter =
        std::uniform_int_distribution<std::int64_t>(0, second_ns / 10)(random_);
    return std::max(to_boundary + jitter, shortest_cooldown_ns);
}

PauseSet BudgetGate::hear(const Reply& reply) {
    const auto advice =
        budget_.observe(permit_, {.status = reply.status,
                                  .headers = reply.headers,
                                  .body = reply.body,
                                  .transport = reply.status == 0 ? ratecoord::Transport::maybe_sent
                                                                 : ratecoord::Transport::replied,
                                  .received_at = boot_time(reply.replied_ns)});
    if (!advice) {
        log_.error(place_, "cannot observe: " + with_hint(advice.error()));
        return {};
    }
    const bool stops =
        advice->action == ratecoord::Action::pause || advice->action == ratecoord::Action::ban;
    return stops ? PauseSet{boot_now_ns(), ns_of(advice->until)} : PauseSet{};
}

PauseSet BudgetGate::settle(const Reply& reply, Verdict verdict) {
    if (budget_.profile() != nullptr) return hear(reply);
    PauseSet set;
    if (verdict == Verdict::banned) {
        const std::int64_t shortest = reply.status == 403 ? shortest_forbidden_ns : shortest_ban_ns;
        set = pause(PauseKind::ban, reply, reply.retry_after_ns.value_or(shortest),
                    reply.status == 403 ? "403" : "418");
    } else if (verdict == Verdict::limited) {
        set = pause(PauseKind::cooldown, reply, cooldown_ns(reply), "429");
    }
    const auto observed = budget_.observe(permit_, outcome_of(verdict));
    if (!observed) log_.error(place_, "cannot observe: " + with_hint(observed.error()));
    return set;
}

std::optional<std::int64_t> BudgetGate::retry_at_ns(const Reply& reply, Verdict verdict) {
    // The budget makes the next ask wait as long as needed. What failed may have been done: only a
    // refusal says for sure that it was not.
    if (verdict == Verdict::limited || verdict == Verdict::banned) return reply.replied_ns;
    return std::nullopt;
}

}  // namespace herd
