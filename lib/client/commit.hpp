// SPDX-License-Identifier: Apache-2.0
//
// Budget::Impl::commit, apart because it is a template. Included by impl.hpp only.
#pragma once

#include "core/clock_step.hpp"

namespace ratecoord {

template <class Decide, class Count>
Result<segment::CommitResult> Budget::Impl::commit(core::Instant deadline, Decide&& decide,
                                                   Count&& count) noexcept {
    constexpr int attachments_max = 3;
    client::Attachment* a = current.load(std::memory_order_acquire);
    for (int attempt = 0;; ++attempt) {
        const auto result = a->segment->commit(
            deadline,
            [&](core::State& state, const core::Rules& rules, core::Instant now) {
                if (now - a->offset_checked_at > core::second_ns) [[unlikely]] {
                    // Kept even where the decision is not published: the next one looks again.
                    a->offset_checked_at = now;
                    if (core::renew_offset(state, rules, clock->utc_offset(), now)) {
                        a->offset_checked_at = 0;
                    }
                }
                return decide(*a, state, rules, now);
            },
            count);
        if (result.ok()) return result;
        if (result.code != ErrorCode::detached || attempt == attachments_max) {
            return tl::unexpected(a->segment->error_of(result));
        }
        auto fresh = reattach(a);
        if (!fresh) return tl::unexpected(fresh.error());
        a = *fresh;
    }
}

}  // namespace ratecoord
