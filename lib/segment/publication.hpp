// SPDX-License-Identifier: Apache-2.0
//
// One commit: copy the state, change it, publish it by one swap of root.
//
// PROMISE  P1  Nothing that others can reach changes before the swap and all of it is complete at
//              the swap: whoever is killed or stopped at any instruction leaves the old state or
//              the new one (G4).
//          P2  A decision, a refusal too, counts only if root did not move after it was read.
//          P3  Only the holder of a slot writes the slot's two buffers, and never the published
//              one.
//          P4  commit() ends by its deadline; it allocates nothing and, uncontended, makes no
//              system call.
//
// STATE    The working copy, and which root it equals (`held_`), so that a process that commits
//          twice in a row reads nothing back. A swap that fails, and a decision that says it
//          discarded its changes, make the copy unknown.
// SHARING  One thread at a time; any number of processes.
#pragma once

#include <boost/interprocess/sync/scoped_lock.hpp>
#include <type_traits>

#include <ratecoord/result.hpp>

#include "segment/clock.hpp"
#include "segment/fenced_lock.hpp"
#include "segment/published_state.hpp"

namespace ratecoord::segment {

enum class Verdict : std::uint8_t {
    publish,    ///< the changed state becomes everybody's
    unchanged,  ///< the state was left exactly as it was
    discard,    ///< the state was changed, but the change is not wanted
};

struct CommitResult {
    ErrorCode code{};  ///< ErrorCode{} where the decision counts
    bool published = false;
    std::uint64_t version = 0;  ///< published, or that the decision was made on
    core::Instant at = 0;       ///< `now` of the decision that counts

    bool ok() const noexcept { return code == ErrorCode{}; }
};

template <class Steps = SystemSteps>
class Publication {
  public:
    Publication() = default;
    /// `base` is the mapping, `slot` one whose byte lock this process holds.
    Publication(std::byte* base, const Geometry& geometry, std::uint32_t slot)
        : base_(base),
          geometry_(geometry),
          published_(base, geometry),
          lock_(control_word(offsetof(Control, lock)), slot,
                counter(BudgetCounter::lock_takeovers)),
          copy_(geometry.capacity),
          first_buffer_(2 * slot) {}

    /// Calls `hooks.admit(state, now)`, which may refuse with an ErrorCode, then
    /// `decide(state, now)`, which returns a Verdict or whether to publish. Both are called again,
    /// with a new `now`, where another commit came first.
    template <class Hooks, class Decide>
    CommitResult commit(const Clock& clock, core::Instant deadline, Hooks&& hooks,
                        Decide&& decide) noexcept {
        for (;;) {
            if (!lock_.try_lock()) {
                deadline = absolute(deadline, clock);
                if (!lock_.lock_until(core::add(Steps::monotonic(), deadline - clock.boot()))) {
                    return {.code = ErrorCode::deadline_exceeded};
                }
            }
            boost::interprocess::scoped_lock<FencedLock<Steps>> held(
                lock_, boost::interprocess::accept_ownership);
            CommitResult result;
            if (attempt(clock, hooks, decide, result)) return result;
            count(BudgetCounter::lost_publications);
            deadline = absolute(deadline, clock);
            if (clock.boot() > deadline) return {.code = ErrorCode::deadline_exceeded};
        }
    }

    /// The working copy: after a commit that published, what it published.
    const core::State& state() const noexcept { return copy_.state(); }
    std::uint32_t take_overtaken() noexcept { return lock_.take_overtaken(); }
    const PublishedState<Steps>& published() const noexcept { return published_; }
    /// Makes the next commit read the state anew.
    void forget() noexcept { held_ = 0; }

  private:
    std::uint64_t* root_word() noexcept {
        return word_at(base_, geometry_.control + offsetof(Control, root));
    }
    std::uint32_t* control_word(std::size_t offset) noexcept {
        return reinterpret_cast<std::uint32_t*>(base_ + geometry_.control + offset);
    }
    std::uint64_t* counter(BudgetCounter which) noexcept {
        return word_at(base_, geometry_.budget_counters + static_cast<std::uint64_t>(which) * 8);
    }
    void count(BudgetCounter which) noexcept {
        __atomic_fetch_add(counter(which), 1, __ATOMIC_RELAXED);
    }

    /// False where root moved: the decision does not count.
    template <class Hooks, class Decide>
    bool attempt(const Clock& clock, Hooks& hooks, Decide& decide, CommitResult& result) noexcept {
        const auto root = published_.root();
        // A root of 0 is no root, but what a page that was punched out of the file holds.
        if (root != held_ || root == 0) [[unlikely]] {
            held_ = 0;
            const auto end = published_.read(root, copy_);
            if (end == ReadEnd::moved) return false;
            if (end == ReadEnd::damaged) {
                result.code = ErrorCode::segment_corrupt;
                return true;
            }
            held_ = root;
        }
        result.version = Root::version(root);
        result.at = clock.boot();
        result.code = hooks.admit(copy_.state(), result.at);
        if (!result.ok()) return stands(root);
        Steps::at(Step::decide);
        const auto verdict = verdict_of(decide(copy_.state(), result.at));
        if (verdict != Verdict::publish) {
            if (verdict == Verdict::discard) held_ = 0;
            return stands(root);
        }
        held_ = 0;
        if (!hooks.may_publish()) {
            result.code = ErrorCode::detached;
            return true;
        }
        return publish(root, result);
    }

    bool stands(std::uint64_t root) noexcept { return load_acquire(root_word()) == root; }

    bool publish(std::uint64_t root, CommitResult& result) noexcept {
        const auto version = (Root::version(root) + 1) & ((std::uint64_t{1} << 48) - 1);
        const auto buffer = first_buffer_ + (Root::buffer(root) == first_buffer_ ? 1 : 0);  // P3
        write(buffer, version);
        const auto next = Root::of(version, buffer);
        auto expected = root;
        Steps::at(Step::root_swap);
        // Releases the buffer to whoever acquires root; acquires the root it replaces (P1).
        if (!__atomic_compare_exchange_n(root_word(), &expected, next, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            return false;
        }
        Steps::at(Step::root_swapped);
        held_ = next;
        result.published = true;
        result.version = version;
        return true;
    }

    void write(std::uint32_t buffer, std::uint64_t version) noexcept {
        auto* to = base_ + geometry_.buffer(buffer) + sizeof(BufferHead);
        const auto& state = copy_.state();
        const BufferHead head{.checksum = checksum(state, version), .version = version};
        store_words<Steps>(to - sizeof(BufferHead), &head, sizeof head);
        store_words<Steps>(to, state.head, sizeof(core::StateHead));
        store_words<Steps>(to + geometry_.state.cells, state.cells().data(),
                           state.cells().size_bytes());
        store_words<Steps>(to + geometry_.state.keys, state.keys().data(),
                           state.keys().size_bytes());
        store_words<Steps>(to + geometry_.state.entries, state.entries().data(),
                           state.entries().size_bytes());
    }

    static Verdict verdict_of(Verdict verdict) noexcept { return verdict; }
    static Verdict verdict_of(bool publish) noexcept {
        return publish ? Verdict::publish : Verdict::discard;
    }

    std::byte* base_ = nullptr;
    Geometry geometry_;
    PublishedState<Steps> published_;
    FencedLock<Steps> lock_;
    StateCopy copy_;
    std::uint32_t first_buffer_ = 0;
    std::uint64_t held_ = 0;
};

}  // namespace ratecoord::segment
