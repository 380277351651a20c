// SPDX-License-Identifier: Apache-2.0
//
// What stands behind a Budget: the segment it is attached to, and how it is replaced.
//
// INVARIANTS
//   B1  A decision is made inside one commit; what it drew is kept only if the clock, read once
//       more after publication, still allows the permit to be handed out.
//   B2  A stale plan is brought up to date before anything new is reserved, 64 moves a commit.
//   B3  A stop is published first, then saved; the state says what is not saved yet.
//   B4  Attachments are never freed before the Budget: another thread may be inside one.
// SHARING  Every member by any thread at once.
#pragma once

#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/budget.hpp>

#include "client/opening.hpp"
#include "client/reply_pace.hpp"
#include "client/stops.hpp"
#include "core/calendar.hpp"
#include "segment/saved_file.hpp"
#include "segment/segment.hpp"
#include "venue/reading.hpp"

namespace ratecoord {

namespace client {

/// One segment, and the scratch that its commits share (they exclude each other).
struct Attachment {
    explicit Attachment(std::unique_ptr<segment::Segment> attached)
        : segment(std::move(attached)), workspace(segment->view().capacity()) {}

    std::unique_ptr<segment::Segment> segment;
    core::Workspace workspace;
    core::Instant offset_checked_at = 0;  ///< inside a commit only
};

/// Most time a call that does not wait for room spends on getting the budget at all.
inline constexpr std::int64_t patience_ns = core::second_ns / 4;
/// The same for what must not be lost: a stop that "the host was busy" kept from being set would
/// let every process run into it.
inline constexpr std::int64_t stop_patience_ns = 10 * core::second_ns;

core::Instant to_instant(BootTime t) noexcept;
BootTime to_time(core::Instant t) noexcept;

/// AttachOptions::lapse of every client.
bool lapse_client(core::State& state, const core::Rules& rules, core::Instant now,
                  std::uint16_t slot, std::uint32_t generation);

/// The cell of one draw, made where its key is new; none where there is no room for it.
std::uint16_t cell_of(core::State& state, const core::Rules& rules, const core::Draw& draw,
                      core::Instant now) noexcept;

/// "6000 per 1m, fixed, slack 250ms": the same words wherever a definition is shown to a person.
std::string describe(const LimitDefinition& definition);
std::string describe(std::int64_t duration_ns);

/// Records of definitions, or the first that cannot be kept.
Result<std::vector<core::LimitRecord>> records_of(std::span<const LimitDefinition> definitions);
core::Rules rules_of(const std::vector<core::LimitRecord>& records);
/// Definitions in force.
Result<std::vector<core::LimitRecord>> records_of(const segment::View& view);

/// The file of saved stops, locked for writing; busy after 100 ms.
Result<segment::SavedFile> lock_stops(const segment::Place& place);
/// Stops saved for a budget; a file that cannot be understood counts as a halt.
Stops load_stops(const segment::Place& place, std::string& warning);

/// What a budget looks like in a view of its segment.
Result<Snapshot> make_snapshot(const std::string& name, const segment::View& view,
                               core::Instant now);
std::vector<JournalEntry> journal_of(const segment::View& view, std::size_t last);

/// The profile of a budget, and where its limits stand in the segment.
struct ProfileInUse {
    Profile profile;
    std::vector<std::uint16_t> limits;  ///< by the profile's index: ours, or none
};

/// Outside use that deserves an entry of the journal: the first, and each doubling. A count that grows
/// with every reply would push everything else out.
struct OutsideUse {
    std::string_view limit;
    std::uint32_t units = 0;  ///< 0: nothing to tell

    void note(std::string_view name, std::uint32_t before, std::uint32_t after) noexcept {
        if (std::bit_width(after) > std::bit_width(before)) *this = {name, after};
    }
};

}  // namespace client

struct Budget::Impl {
    using Attached = std::unique_ptr<client::Attachment>;

    std::string name;
    segment::Place place;
    OpenOptions options;
    std::vector<core::LimitRecord>
        limits;  ///< of the segment that vanished: costs name them by index
    std::vector<std::string> conflicts;
    const segment::Clock* clock = &segment::SystemClock::instance();
    std::uint32_t name_hash = 0;                  ///< what a Cost made here carries
    std::optional<client::ProfileInUse> profile;  ///< set before anybody else has the budget

    client::ReplyPace pace;

    std::atomic<client::Attachment*> current{nullptr};
    std::mutex attaching;
    std::vector<Attached> attachments;  ///< guarded by attaching (B4)

    // lifecycle.cpp
    static Result<std::unique_ptr<Impl>> make(
        std::string_view name, const OpenOptions& options,
        const segment::Clock& clock = segment::SystemClock::instance());
    Result<void> open(std::span<const LimitDefinition> wanted);
    Result<Attached> attach() const;
    Result<Attached> create(std::span<const LimitDefinition> wanted);
    Result<Attached> attach_or_create(std::span<const LimitDefinition> wanted, bool must_exist);
    Result<void> replace_relic();  // relics.cpp
    void adopt(Attached attached);
    Result<void> note_conflicts(std::span<const LimitDefinition> wanted);

    // reattaching.cpp
    Result<client::Attachment*> reattach(client::Attachment* lost);
    Result<client::Stops> inherit(const segment::View& lost);
    Result<void> give_up(segment::Segment& lost);
    Result<void> check_limits(const segment::View& view) const;
    Result<void> carry_over(client::Attachment& to, const client::Stops& stops) noexcept;

    // permits.cpp
    static constexpr core::Instant soon = -client::patience_ns;  ///< a deadline, see absolute()
    struct Try {
        core::Answer answer;
        core::Request request;
        std::uint64_t epoch = 0;
        bool probe = false;
        std::uint16_t operation = venue::no_index;
    };
    Result<void> decide(const Cost& cost, core::Instant deadline, core::Instant patience,
                        Try& made) noexcept;
    Result<void> confirm(const Reservation& reservation, core::Instant patience,
                         Try& made) noexcept;
    Result<Decision> acquire(const Cost& cost, core::Instant deadline) noexcept;
    Result<Decision> wait_out(Reservation& reservation) noexcept;
    Result<Decision> settle_reservation(Reservation& reservation, core::Instant patience) noexcept;
    Result<void> refresh_plan(core::Instant patience) noexcept;
    /// In the journal: `step` nanoseconds.
    void tell_clock_step(client::Attachment& a, std::int64_t step) noexcept;
    Result<std::size_t> keep() noexcept;
    bool in_time(const core::Answer& answer) noexcept;
    static Result<Decision> decision_of(const Try& made, bool granted) noexcept;
    static Reservation reservation_of(const Cost& cost, const Try& made,
                                      core::Instant deadline) noexcept;
    static void fill_request(core::Request& request, const Cost& cost,
                             core::Instant deadline) noexcept;

    // observing.cpp
    /// What a permit drew, as a request of no deadline.
    static core::Request request_of(const Permit& permit) noexcept;
    template <class Observe>
    Result<void> observe_count(const CostItem& item, Observe&& observe) noexcept;
    void tell(const client::OutsideUse& seen) noexcept;

    // replies.cpp
    Result<void> use_profile(const Profile& wanted);
    Result<void> use_named_profile();  // lifecycle.cpp
    std::int64_t refund_of(const venue::Reading& reading, core::Request& request) const noexcept;
    bool merge(const venue::Count& said, const core::Request& drawn, client::Attachment& a,
               core::State& state, const core::Rules& rules, core::Instant now,
               client::OutsideUse& seen) const noexcept;
    Result<void> hear(Permit& permit, const venue::Reading& reading, Advice& advice) noexcept;
    Result<void> obey(const Permit& permit, const venue::Reading& reading, Advice& advice) noexcept;

    // costs.cpp
    Result<void> refuse_foreign(const Cost& cost) const noexcept;
    Result<std::vector<core::LimitRecord>> records() const {
        return client::records_of(attachment().segment->view());
    }
    Result<core::Draw> resolve(const CostItem& item,
                               const std::vector<core::LimitRecord>& records) const;
    Result<void> bind_keys(Cost& cost, std::span<const CostItem> items,
                           const std::vector<core::LimitRecord>& records);

    // saving.cpp
    /// Writes stops that are not on disk; does nothing where all are.
    Result<void> save_stops() noexcept;
    Result<void> save_definitions() noexcept;
    Result<void> write_stops(client::Attachment& a,
                             const std::function<void(client::Stops&)>& change) noexcept;
    Result<void> follow_generation(client::Attachment& a, std::uint64_t generation) noexcept;

    // control.cpp
    using Change = std::function<bool(core::State&, const core::Rules&, core::Instant)>;
    Result<bool> stop(segment::Event event, std::string_view text, const Change& change) noexcept;
    static tl::unexpected<Error> banned(std::int64_t left_ns);

    client::Attachment& attachment() const noexcept {
        return *current.load(std::memory_order_acquire);
    }
    core::Instant now() const noexcept { return clock->boot(); }

    /// One commit, with the wall clock looked at once a second before the decision. Follows the
    /// budget to a new segment if its name moved.
    template <class Decide, class Count>
    Result<segment::CommitResult> commit(core::Instant deadline, Decide&& decide,
                                         Count&& count) noexcept;
    template <class Decide>
    Result<segment::CommitResult> commit(core::Instant deadline, Decide&& decide) noexcept {
        return commit(deadline, std::forward<Decide>(decide), [](segment::Tally&) {});
    }
};

}  // namespace ratecoord

#include "client/commit.hpp"
