// SPDX-License-Identifier: Apache-2.0
//
// What any client does for all, now and then.
#include "client/impl.hpp"

namespace ratecoord {

Result<std::size_t> Budget::Impl::keep() noexcept {
    client::Attachment& a = attachment();
    const auto swept = a.segment->sweep(client::lapse_client, now() + client::patience_ns);
    for (const auto& client : swept) {
        a.segment->journal(segment::Event::recovered, "client '" + client.label + "' pid " +
                                                          std::to_string(client.pid) + " is gone");
    }
    if (!swept.empty()) {
        if (auto fresh = refresh_plan(now() + client::patience_ns); !fresh) {
            return tl::unexpected(fresh.error());
        }
    }
    if (auto saved = save_stops(); !saved) return tl::unexpected(saved.error());
    return swept.size();
}

Result<std::size_t> Budget::sweep() noexcept {
    // Changes nothing, but a commit looks whether the name is still there.
    const auto looked = impl_->commit(impl_->now() + client::patience_ns,
                                      [](client::Attachment&, core::State&, const core::Rules&,
                                         core::Instant) { return segment::Verdict::unchanged; });
    if (!looked) return tl::unexpected(looked.error());
    return impl_->keep();
}

}  // namespace ratecoord
