// SPDX-License-Identifier: Apache-2.0
#include "client/impl.hpp"
#include "core/retry_units.hpp"

namespace ratecoord {

Result<bool> Budget::spend_retry_units(std::uint32_t units) noexcept {
    bool spent = false;
    auto done = impl_->commit(
        impl_->now() + client::patience_ns,
        [&](client::Attachment&, core::State& state, const core::Rules&, core::Instant) {
            spent = core::spend_retry_units(state, units);
            return spent ? segment::Verdict::publish : segment::Verdict::discard;
        });
    if (!done) return tl::unexpected(done.error());
    impl_->attachment().segment->count(spent ? segment::BudgetCounter::retries
                                             : segment::BudgetCounter::retries_refused);
    return spent;
}

Result<void> Budget::return_retry_units(std::uint32_t units) noexcept {
    auto done = impl_->commit(
        impl_->now() + client::patience_ns,
        [&](client::Attachment&, core::State& state, const core::Rules&, core::Instant) {
            return core::return_retry_units(state, units) ? segment::Verdict::publish
                                                          : segment::Verdict::discard;
        });
    if (!done) return tl::unexpected(done.error());
    return {};
}

}  // namespace ratecoord
