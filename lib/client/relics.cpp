// SPDX-License-Identifier: Apache-2.0
//
// What happens when the segment of a name was left behind by another boot: in a directory that
// outlives a reboot that is how every day begins. Its stops are kept, its counts are not: the
// segment that takes its place is cold (decision 0021).
#include "client/impl.hpp"
#include "segment/relic.hpp"

namespace ratecoord {
namespace {

/// More than a replacer needs on a disk that is slow to sync.
constexpr std::chrono::milliseconds replacing_patience{5'000};

/// The relic's stops, those that never reached the disk too; nullopt where its state is torn, as a
/// host that lost its power may leave it. Then the saved file is all there is, like after a reboot
/// that took the whole segment.
std::optional<client::Stops> last_stops(const segment::View& view) {
    segment::StateCopy copy = view.make_copy();
    if (!view.snapshot(copy)) return std::nullopt;
    const auto in_force = view.definitions(copy);
    return client::stops_of(copy.state(),
                            in_force ? in_force->current : std::vector<core::LimitRecord>{});
}

}  // namespace

/// Takes the relic away, its stops on disk first; does nothing where there is none any more.
Result<void> Budget::Impl::replace_relic() {
    auto relic = segment::Relic::claim(place, replacing_patience);
    if (!relic) return tl::unexpected(relic.error());
    if (!*relic) return {};
    if (auto stops = last_stops((*relic)->view())) {
        auto file = client::lock_stops(place);
        if (!file) return tl::unexpected(file.error());
        const auto saved = file->read();
        if (!saved) return tl::unexpected(saved.error());
        const auto before = *saved ? client::parse_stops(**saved) : std::nullopt;
        if (*saved && !before) {
            stops->halted = true;  // it may have held a halt
            if (auto aside = file->set_aside(); !aside) return aside;
        }
        const client::Stops merged = before ? client::merge(*before, *stops) : *stops;
        if (!before || merged != *before) {
            if (auto written = file->replace(client::to_text(merged)); !written) return written;
        }
    }
    options.full = false;  // somebody drew from it, and nobody here knows how lately
    return (*relic)->remove();
}

}  // namespace ratecoord
