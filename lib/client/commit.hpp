// SPDX-License-Identifier: Apache-2.0
//
// Budget::Impl::commit, apart because it is a template. Included by impl.hpp only.
#pragma once

#include <cstdlib>

#include "core/clock_step.hpp"

namespace ratecoord {

template <class Decide, class Count>
Result<segment::CommitResult> Budget::Impl::commit(core::Instant deadline, Decide&& decide,
                                                   Count&& count) noexcept {
    constexpr int attachments_max = 3;
    client::Attachment* a = current.load(std::memory_order_acquire);
    for (int attempt = 0;; ++attempt) {
        std::int64_t stepped = 0;
        const auto result = a->segment->commit(
            deadline,
            [&](core::State& state, const core::Rules& rules, core::Instant now) {
                stepped = 0;
                if (now - a->offset_checked_at > core::second_ns) [[unlikely]] {
                    // Kept even where the decision is not published: the next one looks again.
                    a->offset_checked_at = now;
                    const auto offset = state.head->utc_offset;
                    if (core::renew_offset(state, rules, clock->utc_offset(), now)) {
                        stepped = state.head->utc_offset - offset;
                        a->offset_checked_at = 0;
                    }
                }
                return decide(*a, state, rules, now);
            },
            count);
        if (result.published && std::llabs(stepped) >= core::second_ns) [[unlikely]] {
            tell_clock_step(*a, stepped);
        }
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
