// SPDX-License-Identifier: Apache-2.0
#include "retry/lookup.hpp"

#include <algorithm>

#include "retry/judgement.hpp"

namespace ratecoord::retry {
namespace {

constexpr std::uint32_t lookups_least = 2;
constexpr std::uint32_t lookups_most = 16;

/// Where lookup `k` of `count` stands in a window: 0 for the first, the whole for the last.
std::chrono::nanoseconds place_of(std::uint32_t k, std::uint32_t count,
                                  std::chrono::nanoseconds window) noexcept {
    const auto whole = static_cast<__int128>(std::max<std::int64_t>(window.count(), 0));
    const std::int64_t parts = (std::int64_t{1} << (count - 1)) - 1;
    const std::int64_t part = (std::int64_t{1} << k) - 1;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(whole * part / parts));
}

}  // namespace

Found Lookup::run(BootTime from, std::chrono::nanoseconds window, LookUpOrder look_up) noexcept {
    const std::uint32_t count = std::clamp(policy_.lookups, lookups_least, lookups_most);
    from = std::max(from, port_.now());
    give_up_at_ = later(later(from, window), policy_.answer_within);
    Answer answer = Answer::none;
    for (std::uint32_t k = 0; k < count && !is_over_; ++k) {
        const bool is_last = k + 1 == count;
        const auto next = later(from, place_of(std::min(k + 1, count - 1), count, window));
        if (!is_last && port_.now() >= next) continue;  // a slow one took its place
        port_.wait_until(later(from, place_of(k, count, window)));
        answer = ask(look_up);
        if (answer != Answer::none && answer != Answer::nothing) break;
    }
    if (answer == Answer::none && !is_over_) answer = ask_on(look_up);
    switch (answer) {
        case Answer::one:
            return Found::one;
        case Answer::nothing:
            return Found::nothing;
        case Answer::several:
            return Found::several;
        case Answer::older:
            return Found::older;
        case Answer::none:
            break;
    }
    return Found::no_answer;
}

/// Behind the window: any clear answer holds.
Lookup::Answer Lookup::ask_on(LookUpOrder look_up) noexcept {
    core::BackoffRun run;
    while (!is_over_) {
        const auto wait = core::next_wait_ns(policy_.backoff, run, port_.random());
        const BootTime at =
            later(std::max(port_.now(), result_.until), std::chrono::nanoseconds(wait));
        if (at > give_up_at_) break;
        port_.wait_until(at);
        const Answer answer = ask(look_up);
        if (answer != Answer::none) return answer;
    }
    return Answer::none;
}

/// Q2.
bool Lookup::pay_for_retry() noexcept {
    if (owed_ == 0) return true;
    const auto spent = port_.spend_retry_units(std::exchange(owed_, 0u));
    if (spent && *spent) return true;
    if (!spent) result_.error = spent.error();
    result_.reason = "the host has no retry units left for lookups";
    is_over_ = true;
    return false;
}

Lookup::Answer Lookup::ask(LookUpOrder look_up) noexcept {
    if (!pay_for_retry()) return Answer::none;
    Finding finding;
    const Attempt attempt =
        try_once(port_, cost_, give_up_at_, policy_.fallback, [&](const Permit& permit) {
            finding = look_up(permit, result_.client_id);
            return finding.reply;
        });
    result_.until = attempt.sent ? attempt.advice.until : attempt.until;
    if (attempt.error) result_.error = attempt.error;
    if (!attempt.sent) {
        result_.reason = sentence_of(attempt, Intent::read);
        is_over_ = true;
        return Answer::none;
    }
    ++result_.lookups;
    result_.finding = std::move(finding);
    const Answer answer = meaning_of(attempt);
    if (answer != Answer::none) {
        result_.reason.clear();
        return answer;
    }
    owed_ = units_of(attempt.reply);
    return answer;
}

Lookup::Answer Lookup::meaning_of(const Attempt& attempt) noexcept {
    const Action action = attempt.advice.action;
    if (action == Action::auth) {
        result_.reason = "the key may not look it up";
        is_over_ = true;
        return Answer::none;
    }
    const Finding& finding = result_.finding;
    const bool is_clear = !attempt.exception && attempt.reply.transport == Transport::replied &&
                          attempt.reply.is_whole &&
                          (action == Action::ok || action == Action::rejected);
    if (!is_clear || finding.orders < 0) {
        result_.reason = "lookups have no clear answer";
        result_.finding.orders = -1;
        return Answer::none;
    }
    if (finding.orders == 0) {
        result_.looked_for = attempt.sent_at - result_.last_sent_at;
        return Answer::nothing;
    }
    if (finding.orders > 1) return Answer::several;
    const bool is_older =
        finding.placed_utc_ns != 0 &&
        finding.placed_utc_ns < result_.first_sent_utc_ns - policy_.clock_tolerance.count();
    return is_older ? Answer::older : Answer::one;
}

}  // namespace ratecoord::retry
