// SPDX-License-Identifier: Apache-2.0
#include "herd/caller.hpp"

#include <algorithm>
#include <limits>

#include "herd/instant.hpp"

namespace herd {

namespace {

constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

ClientRule client_rule(const Options& options, unsigned worker) {
    ClientRule rule;
    rule.venue = options.venue;
    rule.label_header = options.label_header;
    rule.label = label_of(worker);
    rule.cost_header = options.cost_header;
    rule.cost_in_query = options.cost_in_query;
    rule.key_header = options.key_header;
    rule.reply_timeout_ns = options.reply_timeout_ns;
    rule.keeps_replies = !options.budget.profile.empty();
    return rule;
}

// The key of each keyed limit that the kind draws from. Keys and names need no escaping.
std::string keys_json(const RequestKind& kind, const std::vector<KeyRing>& rings, unsigned worker) {
    std::string text = "{";
    for (const CostPart& part : kind.cost) {
        const KeyRing* const ring = ring_of(rings, part.limit);
        if (ring == nullptr) continue;
        if (text.size() > 1) text += ',';
        text += '"' + part.limit + "\":\"" + ring->of_worker(worker) + '"';
    }
    return text + '}';
}

}  // namespace

std::uint64_t seed_of(const Options& options, Place place) {
    const std::uint64_t number = std::uint64_t{place.worker} * options.threads + place.thread;
    // Neighbouring seeds give a Mersenne twister related first draws; a multiplier parts them.
    return (options.seed * 1'000'003 + number + 1) * 0x9e3779b97f4a7c15ULL;
}

std::string label_of(unsigned worker) {
    return "w" + std::to_string(worker);
}

Caller::Caller(const Options& options, Place place, int stop_fd, Gate& gate, CallLog& log)
    : options_(options),
      place_(place),
      stop_fd_(stop_fd),
      gate_(gate),
      log_(log),
      client_(client_rule(options, place.worker), options.kinds, options.keys, place.worker),
      mix_(options.kinds, seed_of(options, place)),
      end_ns_(never_ns) {
    for (const RequestKind& kind : options.kinds) {
        costs_json_.push_back(as_json(kind.cost));
        keys_json_.push_back(keys_json(kind, options.keys, place.worker));
    }
}

bool Caller::run(std::int64_t start_ns) {
    if (options_.duration_ns > 0) end_ns_ = start_ns + options_.duration_ns;
    if (!wait_until(stop_fd_, start_ns)) return true;
    for (std::uint64_t task = 0; options_.calls == 0 || task < options_.calls; ++task) {
        if (is_over()) break;
        gate_.restart();
        if (call(task) == Next::end) break;
    }
    return !broken_;
}

bool Caller::is_over() const {
    return boot_now_ns() >= end_ns_;
}

std::size_t Caller::draw() {
    if (options_.one_kind_per_worker) {
        return kind_of_worker(options_.kinds, place_.worker, options_.workers);
    }
    return options_.kinds.size() == 1 ? 0 : mix_.draw();
}

Caller::Next Caller::call(std::uint64_t task) {
    const std::size_t kind = draw();
    CallRecord record;
    record.place = place_;
    record.task = task;
    record.cost_json = costs_json_[kind];
    record.keys_json = keys_json_[kind];
    const std::int64_t deadline = std::min(boot_now_ns() + options_.timeout_ns, end_ns_);
    for (;;) {
        const Next next = attempt(record, kind, deadline);
        if (next != Next::again) return next;
    }
}

Caller::Next Caller::attempt(CallRecord& record, std::size_t kind, std::int64_t deadline_ns) {
    ++record.attempt;
    record.asked_ns = boot_now_ns();
    const Admission admission = gate_.ask(kind, deadline_ns);
    if (admission.kind != Admission::Kind::granted) {
        return turned_away(record, admission, deadline_ns);
    }
    const Reply reply = client_.send(kind);
    const Verdict verdict = verdict_of(reply.status);
    const PauseSet pause = gate_.settle(reply, verdict);
    record.permit = admission.permit;
    record.at_ns = admission.at_ns;
    record.deciding_ns = admission.deciding_ns != 0 ? admission.deciding_ns : record.asked_ns;
    record.granted_ns = admission.granted_ns;
    record.sent_ns = reply.sent_ns;
    record.replied_ns = reply.replied_ns;
    record.status = reply.status;
    record.paused_ns = pause.in_force_ns;
    record.pause_until_ns = pause.until_ns;
    log_.call(record);
    if (verdict == Verdict::accepted) return Next::done;
    const auto retry_at = gate_.retry_at_ns(reply, verdict);
    if (!retry_at) return give_up(record, verdict == Verdict::rejected ? "rejected" : "failed");
    // What the end of the duration cuts short was not given up.
    if (*retry_at > deadline_ns && deadline_ns == end_ns_) return Next::end;
    if (*retry_at > deadline_ns) return give_up(record, "timeout");
    return wait_until(stop_fd_, *retry_at) ? Next::again : Next::end;
}

Caller::Next Caller::turned_away(const CallRecord& record, const Admission& admission,
                                 std::int64_t deadline_ns) {
    if (admission.kind == Admission::Kind::stopped) return Next::end;
    if (admission.kind == Admission::Kind::broken) {
        log_.error(place_, admission.text);
        broken_ = true;
        return Next::end;
    }
    // At the end of the duration there is no room for what would go after it: no refusal.
    if (deadline_ns == end_ns_) return Next::end;
    log_.refused(record, admission.text);
    constexpr std::int64_t shortest_pause_ns = second_ns / 20;  // a full calendar names no instant
    const std::int64_t come_back =
        std::max(admission.come_back_ns, boot_now_ns() + shortest_pause_ns);
    if (come_back >= deadline_ns) {
        if (!wait_until(stop_fd_, deadline_ns)) return Next::end;
        return give_up(record, "timeout");
    }
    return wait_until(stop_fd_, come_back) ? Next::again : Next::end;
}

Caller::Next Caller::give_up(const CallRecord& record, std::string_view reason) {
    log_.gave_up(record, reason);
    return Next::done;
}

}  // namespace herd
