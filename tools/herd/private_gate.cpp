// SPDX-License-Identifier: Apache-2.0
#include "herd/private_gate.hpp"

#include <algorithm>

#include "herd/instant.hpp"

namespace herd {

PrivateGate::PrivateGate(const Options& options, ProcessBucket* bucket, std::uint64_t seed,
                         int stop_fd)
    : rule_(options.private_loop),
      bucket_(bucket),
      backoff_(options.private_loop.backoff, seed),
      stop_fd_(stop_fd) {
    for (const RequestKind& kind : options.kinds) units_.push_back(kind.cost.front().units);
}

Admission PrivateGate::ask(std::size_t kind, std::int64_t deadline_ns) {
    Admission admission;
    const std::int64_t now = boot_now_ns();
    const std::int64_t ready = bucket_ == nullptr ? now : bucket_->take(units_[kind], now);
    if (ready > now && !wait_until(stop_fd_, std::min(ready, deadline_ns))) {
        admission.kind = Admission::Kind::stopped;
        return admission;
    }
    admission.granted_ns = boot_now_ns();
    if (ready <= deadline_ns) return admission;
    admission.kind = Admission::Kind::refused;
    admission.text = "not_yet";
    admission.come_back_ns = ready;
    return admission;
}

std::optional<std::int64_t> PrivateGate::retry_at_ns(const Reply& reply, Verdict verdict) {
    if (!rule_.retries || verdict == Verdict::accepted || verdict == Verdict::rejected) {
        return std::nullopt;
    }
    const std::int64_t named = rule_.obeys_retry_after ? reply.retry_after_ns.value_or(0) : 0;
    return reply.replied_ns + named + backoff_.next_ns();
}

}  // namespace herd
