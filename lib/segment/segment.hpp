// SPDX-License-Identifier: Apache-2.0
//
// One process's attachment to a budget's segment: what the client layer stands on.
//
//     auto segment = Segment::attach(*place_of("binance-spot"), {.label = "md-gateway"});
//     auto result = (*segment)->commit(deadline, [&](core::State& state, const core::Rules& rules,
//                                                    core::Instant now) { ... return true; });
//
// PROMISE  G4 and G6 for commit(): it ends by its deadline, whoever is killed or stopped; what it
//          reports as published is everybody's, what it does not is nobody's.
//          G7: a segment that is damaged, foreign, retired or gone gives errors, never a decision.
//          commit() allocates nothing and, uncontended, makes no system call but for one check a
//          second that its descriptor and its name still mean the segment.
// UNITS    Instants in nanoseconds of CLOCK_BOOTTIME.
// ERRORS   A CommitResult carries a code; error_of() gives the sentence. Once `detached`, always:
//          attach anew. A forked child attaches anew by itself, with a slot of its own.
// SHARING  Every member by any thread at once, but for the destructor.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "segment/epoch_word.hpp"
#include "segment/fork_guard.hpp"
#include "segment/local_mutex.hpp"
#include "segment/publication.hpp"
#include "segment/view.hpp"

namespace ratecoord::segment {

/// Lets the reservations of a dead client lapse; returns whether the state was changed.
using Lapse = bool (*)(core::State& state, const core::Rules& rules, core::Instant now,
                       std::uint16_t slot, std::uint32_t generation);

struct AttachOptions {
    std::string label;      ///< at most 31 bytes are kept
    Lapse lapse = nullptr;  ///< where every slot is taken, dead ones are swept with it
    const Clock* clock = &SystemClock::instance();
    bool spare = false;  ///< may take a spare slot
};

enum class Detachment : std::uint8_t {
    attached,
    retired,          ///< somebody destroyed it
    vanished,         ///< its name is gone
    replaced,         ///< its name means another segment now
    descriptor_lost,  ///< this process closed its descriptor
    forked,           ///< a child could not attach anew
    pages_lost,       ///< the file was cut short or punched, or its disk failed
};

enum class WaitEnd : std::uint8_t {
    changed,  ///< the epoch is another: look again
    slice,    ///< a second passed: look again, sweep if need be
    due,      ///< `until` has come
    detached,
};

/// Counts for display, from inside commit(): nobody else writes these rows then.
class Tally {
  public:
    void add(ClientCounter which, std::uint64_t count = 1) noexcept;
    void add(std::uint16_t limit, LimitCounter which, std::uint64_t count = 1) noexcept;
    /// One permit of that many units: both at once, for every permit counts them.
    void add_permit(std::uint16_t limit, std::uint64_t units) noexcept;

  private:
    friend class Segment;
    std::uint64_t* row_of(std::uint16_t limit) const noexcept;

    Tally(std::byte* base, const Geometry& geometry, std::uint16_t slot) noexcept
        : base_(base), geometry_(geometry), slot_(slot) {}

    std::byte* base_;
    const Geometry& geometry_;
    std::uint16_t slot_;
};

class Segment {
  public:
    /// already_exists where the name is taken. Attaches to what it made.
    static Result<std::unique_ptr<Segment>> create(const Place& place, const CreateOptions& options,
                                                   const AttachOptions& attach_options);
    static Result<std::unique_ptr<Segment>> attach(const Place& place,
                                                   const AttachOptions& options);
    ~Segment();
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    /// Calls `decide(State&, const Rules&, Instant now)` on the state as it is and publishes what
    /// it made of it if it returns true or Verdict::publish. It may be called several times; only
    /// the last call counts. It must not commit, fork or throw. Then, if the decision counts (a
    /// refusal does too), `count(Tally&)` once.
    template <class Decide, class Count>
    CommitResult commit(core::Instant deadline, Decide&& decide, Count&& count) noexcept;
    template <class Decide>
    CommitResult commit(core::Instant deadline, Decide&& decide) noexcept {
        return commit(deadline, std::forward<Decide>(decide), [](Tally&) {});
    }

    /// Needs a result that is not ok().
    Error error_of(const CommitResult& result) const;

    /// Sleeps until the epoch differs from the one seen in a state, `until`, or a second has
    /// passed.
    WaitEnd wait(std::uint64_t epoch_seen, core::Instant until) noexcept;

    /// Whether the epoch is another than the one seen in a state: a look, without lock or copy.
    bool has_moved(std::uint64_t epoch_seen) const noexcept {
        std::uint64_t epoch = 0;
        return !publication_.published().epoch(epoch) || epoch != epoch_seen;
    }

    /// Sweeps dead clients: their reservations lapse, their slots rest. Returns whom.
    std::vector<DeadClient> sweep(Lapse lapse, core::Instant deadline);
    /// Whether the holder of that slot is gone: for waiters whose turn it blocks.
    bool is_dead(std::uint16_t slot) const noexcept { return slots_.is_dead(slot); }

    /// Writes the other copy of the definitions and commits the switch: `decide(State&, const
    /// Rules& before, const Rules& after, Instant now)` sees a head that names it. busy, naming
    /// whom, while another process is at it.
    template <class Decide>
    Result<CommitResult> redefine(const Definitions& definitions, core::Instant deadline,
                                  Decide&& decide);

    /// Publishes `retired` and removes the name. Whoever is attached learns it at once.
    Result<void> destroy(core::Instant deadline);

    void journal(Event event, std::string_view text) noexcept;
    void count(BudgetCounter which, std::uint64_t count = 1) noexcept;
    void set_key_name(std::uint16_t key, std::uint32_t generation, std::string_view dimension,
                      std::string_view name) noexcept;

    /// The definitions that this process believed last, whatever the segment holds now; empty before
    /// the first commit.
    std::vector<core::LimitRecord> last_definitions();

    /// Looks at once whether name and descriptor still mean the segment; else within a second.
    Detachment check() noexcept;
    Detachment detachment() const noexcept { return detachment_.load(std::memory_order_acquire); }

    const View& view() const noexcept { return view_; }
    const Clock& clock() const noexcept { return *clock_; }
    const std::string& label() const noexcept { return options_.label; }
    /// Inside commit(): the slot that entries of this process carry. Another one after a fork.
    SlotId slot() const noexcept { return slot_; }
    /// False where root attached to a segment whose owner saves stops elsewhere: do not write
    /// there.
    bool state_directory_is_ours() const noexcept { return mapping_.state_directory_is_ours; }

  private:
    static constexpr std::int64_t check_interval_ns = core::second_ns;

    struct Hooks {
        Segment& segment;
        ErrorCode admit(core::State& state, core::Instant now) noexcept {
            return segment.admit(state, now);
        }
        bool may_publish() const noexcept { return segment.guard_.is_ours(); }
    };

    Segment(Mapping mapping, const AttachOptions& options);

    Result<void> join();
    void sweep_through_the_door();
    bool lapse_one(SlotId slot, Lapse lapse, core::Instant deadline) noexcept;
    void use_slot(SlotId slot);

    ErrorCode admit(core::State& state, core::Instant now) noexcept {
        if (state.has(core::flag_retired)) [[unlikely]] {
            detach(Detachment::retired);
        }
        if (now - checked_at_.load(std::memory_order_relaxed) > check_interval_ns) [[unlikely]] {
            check_at(now);
        }
        if (detachment() != Detachment::attached) [[unlikely]] {
            return ErrorCode::detached;
        }
        if (state.head->definitions_version != rules_version_) [[unlikely]] {
            return refresh_rules(*state.head);
        }
        return ErrorCode{};
    }

    ErrorCode refresh_rules(const core::StateHead& head) noexcept;
    void detach(Detachment why) noexcept;
    void check_at(core::Instant now) noexcept;
    void tell_takeover(std::uint16_t holder) noexcept;
    CommitResult judge_failure(CommitResult result) noexcept;
    ErrorCode renew_after_fork() noexcept;
    bool lock_threads(core::Instant deadline) noexcept;
    std::uint32_t* control_word(std::size_t offset) noexcept {
        return reinterpret_cast<std::uint32_t*>(mapping_.base() + mapping_.geometry.control +
                                                offset);
    }
    std::uint32_t* epoch_word() noexcept { return control_word(offsetof(Control, epoch)); }

    struct Redefinition {
        std::uint32_t copy;
        std::uint64_t hash;
        core::Rules rules;
    };
    Result<Redefinition> begin_redefinition(const Definitions& definitions);
    void end_redefinition() noexcept;

    AttachOptions options_;
    const Clock* clock_;
    Mapping mapping_;
    View view_;
    Slots slots_;
    Journal journal_;
    LocalMutex mutex_;              // guards publication_ and rules_
    LocalMutex sweep_mutex_;        // byte locks do not exclude threads of one process
    LocalMutex definitions_mutex_;  // likewise
    ForkGuard guard_;
    SlotId slot_;
    Publication<> publication_;
    core::Rules rules_;
    std::uint64_t rules_version_ = 0;
    std::vector<core::LimitRecord> records_;  ///< that rules_ were made of
    std::vector<core::LimitRecord> fresh_records_;
    std::atomic<core::Instant> checked_at_{0};
    core::Instant takeover_told_at_ = 0;  ///< with mutex_
    std::atomic<Detachment> detachment_{Detachment::attached};
};

template <class Decide, class Count>
CommitResult Segment::commit(core::Instant deadline, Decide&& decide, Count&& count) noexcept {
    if (!guard_.is_ours()) [[unlikely]] {
        if (const auto code = renew_after_fork(); code != ErrorCode{}) return {.code = code};
    }
    if (!mutex_.try_lock() && !lock_threads(deadline)) {
        return {.code = ErrorCode::deadline_exceeded};
    }
    CommitResult result;
    std::uint64_t epoch = 0;
    {
        const LocalHold hold(mutex_);
        result = publication_.commit(*clock_, deadline, Hooks{*this},
                                     [&](core::State& state, core::Instant now) {
                                         return decide(state, std::as_const(rules_), now);
                                     });
        // After the publication: what was decided on pages that were lost must not count.
        if (mapping_.pages.lost()) [[unlikely]] {
            detach(Detachment::pages_lost);
            return {.code = ErrorCode::detached};
        }
        if (const auto holder = publication_.take_overtaken(); holder != 0) [[unlikely]] {
            tell_takeover(static_cast<std::uint16_t>(holder - 1));
        }
        if (!result.ok()) return judge_failure(result);
        Tally tally(mapping_.base(), mapping_.geometry, slot_.index);
        count(tally);
        if (!result.published) return result;
        epoch = publication_.state().head->epoch;
    }
    EpochWord<>(epoch_word()).mirror(publication_.published(), epoch);
    return result;
}

template <class Decide>
Result<CommitResult> Segment::redefine(const Definitions& definitions, core::Instant deadline,
                                       Decide&& decide) {
    auto fresh = begin_redefinition(definitions);
    if (!fresh) return tl::unexpected(fresh.error());
    const auto result =
        commit(deadline, [&](core::State& state, const core::Rules& rules, core::Instant now) {
            if (state.head->definitions_copy == fresh->copy) return Verdict::unchanged;
            ++state.head->definitions_version;
            state.head->definitions_copy = fresh->copy;
            state.head->definitions_hash = fresh->hash;
            state.head->limits_in_use = static_cast<std::uint16_t>(fresh->rules.current.size());
            return decide(state, rules, std::as_const(fresh->rules), now) ? Verdict::publish
                                                                          : Verdict::discard;
        });
    end_redefinition();
    if (!result.ok()) return tl::unexpected(error_of(result));
    return result;
}

}  // namespace ratecoord::segment
