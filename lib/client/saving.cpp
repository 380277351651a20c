// SPDX-License-Identifier: Apache-2.0
#include "client/impl.hpp"
#include "core/pause.hpp"
#include "segment/saved_file.hpp"

namespace ratecoord {
namespace {

constexpr std::chrono::milliseconds lock_patience{100};

}  // namespace

namespace client {

Stops load_stops(const segment::Place& place, std::string& warning) {
    auto content = segment::read_saved(place.state_directory, client::stops_file_of(place.name));
    std::optional<Stops> stops;
    if (content && !*content) return {};
    if (content) stops = parse_stops(**content);
    if (stops) return *stops;
    // A file that is there and says nothing we understand may have held a halt or a ban. It stays
    // where it is until the budget that obeys it is there: write_stops sets it aside.
    warning = "saved stops unreadable: halted until a person looks";
    Stops closed;
    closed.generation = 1;
    closed.halted = true;
    return closed;
}

}  // namespace client

Result<void> Budget::Impl::save_stops() noexcept {
    client::Attachment& a = attachment();
    const segment::View& view = a.segment->view();
    segment::StateCopy copy = view.make_copy();
    if (auto read = view.snapshot(copy); !read) return tl::unexpected(read.error());
    const core::StateHead& head = *copy.state().head;
    if (head.stops_saved == head.stops_version) return {};
    return write_stops(a, nullptr);
}

Result<void> Budget::Impl::save_definitions() noexcept {
    return write_stops(attachment(), nullptr);
}

/// A reset reached the file, but not (yet) the state: what the state holds still stands, and
/// belongs to the generation of the file. Without this nothing would be saved again if the reset
/// died.
Result<void> Budget::Impl::follow_generation(client::Attachment& a,
                                             std::uint64_t generation) noexcept {
    const auto done = a.segment->commit(now() + client::stop_patience_ns,
                                        [&](core::State& state, const core::Rules&, core::Instant) {
                                            if (state.head->pause_generation >= generation)
                                                return segment::Verdict::unchanged;
                                            state.head->pause_generation = generation;
                                            return segment::Verdict::publish;
                                        });
    if (!done.ok()) return tl::unexpected(a.segment->error_of(done));
    return {};
}

/// Locks the file, reads the state again under that lock, and writes the later of both. `change`,
/// where given, is applied to what is written before it is published (reset must not lose to a
/// crash between the two).
Result<void> Budget::Impl::write_stops(client::Attachment& a,
                                       const std::function<void(client::Stops&)>& change) noexcept {
    if (!a.segment->state_directory_is_ours()) return {};
    auto file =
        segment::SavedFile::lock(place.state_directory, client::stops_file_of(name), lock_patience);
    if (!file) return tl::unexpected(file.error());
    auto saved = file->read();
    if (!saved) return tl::unexpected(saved.error());
    std::optional<client::Stops> before;
    if (*saved) before = client::parse_stops(**saved);
    if (*saved && !before) {
        if (auto aside = file->set_aside(); !aside) return aside;
    }
    if (before) {
        if (auto done = follow_generation(a, before->generation); !done) return done;
    }
    const segment::View& view = a.segment->view();
    segment::StateCopy copy = view.make_copy();
    if (auto read = view.snapshot(copy); !read) return tl::unexpected(read.error());
    auto in_force = view.definitions(copy);
    if (!in_force) return tl::unexpected(in_force.error());
    client::Stops stops = client::stops_of(copy.state(), in_force->current);
    const auto limits_in_force = stops.limits;
    if (before) stops = client::merge(*before, stops);
    const std::int64_t utc = copy.state().head->last_instant + copy.state().head->utc_offset;
    std::erase_if(stops.keys, [&](const auto& key) { return key.until_utc <= utc; });
    if (change) change(stops);
    stops.limits = limits_in_force;
    if (auto written = file->replace(client::to_text(stops)); !written) {
        return tl::unexpected(written.error());
    }
    if (change) return {};
    const std::uint64_t version = copy.state().head->stops_version;
    const auto done = a.segment->commit(now() + client::stop_patience_ns,
                                        [&](core::State& state, const core::Rules&, core::Instant) {
                                            if (state.head->stops_saved >= version)
                                                return segment::Verdict::unchanged;
                                            state.head->stops_saved = version;
                                            state.head->saved_until =
                                                core::paused_until(*state.head);
                                            return segment::Verdict::publish;
                                        });
    if (!done.ok()) return tl::unexpected(a.segment->error_of(done));
    return {};
}

}  // namespace ratecoord
