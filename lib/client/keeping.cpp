// SPDX-License-Identifier: Apache-2.0
//
// What any client does for all, now and then.
#include <array>
#include <cstdio>
#include <cstdlib>

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

void Budget::Impl::tell_clock_step(client::Attachment& a, std::int64_t step) noexcept {
    std::array<char, segment::Journal::text_bytes_max + 1> text{};
    const auto ms = std::llabs(step / core::millisecond_ns);
    std::snprintf(text.data(), text.size(), "the wall clock was stepped by %c%lld.%03lld s",
                  step < 0 ? '-' : '+', ms / 1000, ms % 1000);
    a.segment->journal(segment::Event::clock_step, text.data());
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
