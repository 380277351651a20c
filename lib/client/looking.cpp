// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>

#include "client/impl.hpp"
#include "segment/saved_file.hpp"

namespace ratecoord {
namespace {

using segment::Event;

const char* name_of(Event event) noexcept {
    switch (event) {
        case Event::created:
            return "created";
        case Event::attached:
            return "attached";
        case Event::pause:
            return "pause";
        case Event::ban:
            return "ban";
        case Event::probe:
            return "probe";
        case Event::resumed:
            return "resumed";
        case Event::reset:
            return "reset";
        case Event::halted:
            return "halted";
        case Event::unhalted:
            return "unhalted";
        case Event::redefined:
            return "redefined";
        case Event::recovered:
            return "recovered";
        case Event::lock_takeover:
            return "lock_takeover";
        case Event::outside_use:
            return "outside_use";
        case Event::clock_step:
            return "clock_step";
        case Event::slow_replies:
            return "slow_replies";
        case Event::retired:
            return "retired";
        case Event::note:
            return "note";
    }
    return "unknown";
}

Result<segment::Observer> observe(std::string_view name) {
    auto place = segment::place_of(name);
    if (!place) return tl::unexpected(place.error());
    return segment::Observer::open(*place);
}

std::vector<JournalEntry> entries_of(const segment::View& view, std::size_t last) {
    std::vector<JournalEntry> entries;
    for (const segment::JournalEntry& entry : view.journal(last)) {
        entries.push_back(
            {entry.sequence, entry.at, name_of(entry.event), entry.label, entry.text});
    }
    return entries;
}

JournalPage page_of(const segment::View& view, const segment::Clock& clock) {
    JournalPage page;
    page.segment_id = view.id();
    page.utc_offset = clock.utc_offset();
    // Read before the entries: what is appended meanwhile is for the next page.
    page.next = view.journal_next();
    if (page.next > segment::journal_entries) page.oldest = page.next - segment::journal_entries;
    page.oldest = std::max<std::uint64_t>(page.oldest, 1);
    page.entries = entries_of(view, segment::journal_entries);
    std::erase_if(page.entries,
                  [&](const JournalEntry& entry) { return entry.sequence >= page.next; });
    return page;
}

}  // namespace

JournalPage Budget::journal() const {
    return page_of(impl_->attachment().segment->view(), *impl_->clock);
}

Result<Snapshot> Budget::snapshot() const {
    return client::make_snapshot(impl_->name, impl_->attachment().segment->view(), impl_->now());
}

Result<Snapshot> read_snapshot(std::string_view name) {
    auto observer = observe(name);
    if (!observer) return tl::unexpected(observer.error());
    return client::make_snapshot(std::string(name), observer->view(),
                                 segment::SystemClock::instance().boot());
}

Result<std::vector<JournalEntry>> read_journal(std::string_view name, std::size_t last) {
    auto observer = observe(name);
    if (!observer) return tl::unexpected(observer.error());
    return entries_of(observer->view(), last);
}

Result<JournalPage> read_journal_page(std::string_view name) {
    auto observer = observe(name);
    if (!observer) return tl::unexpected(observer.error());
    return page_of(observer->view(), segment::SystemClock::instance());
}

Result<SavedStops> read_saved_stops(std::string_view name) {
    auto place = segment::place_of(name);
    if (!place) return tl::unexpected(place.error());
    SavedStops saved;
    saved.directory = place->state_directory;
    const std::string file = client::stops_file(name);
    saved.path = saved.directory + '/' + file;
    const auto bad = saved.path + std::string(segment::set_aside_ending);
    if (::access(bad.c_str(), F_OK) == 0) saved.set_aside = bad;
    const auto content = segment::read_saved(saved.directory, file);
    if (!content) {
        saved.exists = true;
        saved.problem = content.error().message;
    } else if (*content) {
        saved.exists = true;
        if (!client::parse_stops(**content)) saved.problem = saved.path + " is damaged";
    }
    return saved;
}

Result<std::vector<BudgetListing>> list_budgets() {
    auto found = segment::list();
    if (!found) return tl::unexpected(found.error());
    std::vector<BudgetListing> listings;
    for (const segment::Found& entry : *found) {
        BudgetListing listing{entry.place.name, entry.place.path(), {}};
        if (auto observer = segment::Observer::open(entry.place); !observer) {
            listing.problem = observer.error().message;
        }
        listings.push_back(std::move(listing));
    }
    return listings;
}

namespace {

Result<void> retire(const segment::Place& place) {
    auto attached = segment::Segment::attach(
        place, {.label = "destroy", .lapse = client::lapse_client, .spare = true});
    if (!attached) return tl::unexpected(attached.error());
    return (*attached)->destroy((*attached)->clock().boot() + core::second_ns);
}

}  // namespace

Result<void> destroy(std::string_view name, bool unusable) {
    auto place = segment::place_of(name);
    if (!place) return tl::unexpected(place.error());
    auto done = retire(*place);
    if (done || !unusable) return done;
    const ErrorCode why = done.error().code;
    if (why != ErrorCode::segment_corrupt && why != ErrorCode::version_mismatch) return done;
    return segment::remove_unusable(*place);
}

}  // namespace ratecoord
