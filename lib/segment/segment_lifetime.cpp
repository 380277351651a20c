// SPDX-License-Identifier: Apache-2.0
//
// How an attachment ends, and how a forked child begins its own.
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "segment/segment.hpp"

namespace ratecoord::segment {
namespace {

template <std::size_t Size>
void fill(std::array<char, Size>& to, std::string_view from) noexcept {
    std::memcpy(to.data(), from.data(), std::min(from.size(), Size - 1));
}

}  // namespace

void Segment::detach(Detachment why) noexcept {
    auto expected = Detachment::attached;
    if (!detachment_.compare_exchange_strong(expected, why, std::memory_order_acq_rel)) return;
    // The number may be somebody else's file by now: closing or unlocking it would hit them.
    if (why == Detachment::descriptor_lost) guard_.disown();
}

void Segment::check_at(core::Instant now) noexcept {
    checked_at_.store(now, std::memory_order_relaxed);
    struct stat status {};
    if (::fstat(mapping_.file.get(), &status) != 0 || status.st_dev != mapping_.device ||
        status.st_ino != mapping_.inode) {
        return detach(Detachment::descriptor_lost);
    }
    if (status.st_nlink == 0) return detach(Detachment::vanished);
    if (static_cast<std::uint64_t>(status.st_size) != mapping_.geometry.total) {
        return detach(Detachment::pages_lost);
    }
    struct stat named {};
    if (::stat(mapping_.path.c_str(), &named) != 0) {
        // Renamed away counts as vanished; a directory that cannot be read says nothing.
        if (errno == ENOENT) detach(Detachment::vanished);
        return;
    }
    if (named.st_dev != mapping_.device || named.st_ino != mapping_.inode) {
        detach(Detachment::replaced);
    }
}

/// Whoever finds the state damaged learns here whether somebody put a sound one in its place.
CommitResult Segment::judge_failure(CommitResult result) noexcept {
    if (result.code != ErrorCode::segment_corrupt) return result;
    const auto now = clock_->boot();
    if (now - checked_at_.load(std::memory_order_relaxed) > check_interval_ns) check_at(now);
    if (detachment() != Detachment::attached) result.code = ErrorCode::detached;
    return result;
}

Detachment Segment::check() noexcept {
    if (!guard_.is_ours() && renew_after_fork() != ErrorCode{}) return Detachment::forked;
    check_at(clock_->boot());
    return detachment();
}

ErrorCode Segment::renew_after_fork() noexcept {
    if (!guard_.begin_renewal()) {
        // Another thread of this child is at it; a millisecond is what it takes.
        for (int tries = 0; tries < 100'000; ++tries) {
            if (guard_.is_ours()) return ErrorCode{};
            SystemSteps::yield();
        }
        return ErrorCode::detached;
    }
    for (auto* mutex : {&mutex_, &sweep_mutex_, &definitions_mutex_}) mutex->make_anew();
    auto code = ErrorCode::system;
    try {
        auto file = open_again(mapping_);
        code = file ? ErrorCode{} : file.error().code;
        if (file) {
            guard_.replace(std::move(*file));
            slots_ = Slots(mapping_.base(), mapping_.geometry, mapping_.file.get());
            if (const auto joined = join(); !joined) code = joined.error().code;
        }
    } catch (...) {
        code = ErrorCode::system;  // no memory for a second copy
    }
    if (code == ErrorCode{}) {
        guard_.renew();
        return code;
    }
    if (code == ErrorCode::detached || code == ErrorCode::no_such_budget) {
        detach(Detachment::forked);
        code = ErrorCode::detached;
    }
    guard_.abandon_renewal();
    return code;
}

Result<Segment::Redefinition> Segment::begin_redefinition(const Definitions& definitions) {
    if (auto reason = refusal(definitions, mapping_.geometry); !reason.empty()) {
        return fail(ErrorCode::invalid_argument, mapping_.path + ": " + reason);
    }
    if (!guard_.is_ours() && renew_after_fork() != ErrorCode{}) {
        return tl::unexpected(error_of({.code = ErrorCode::detached}));
    }
    auto* holder = control_word(offsetof(Control, definitions_holder));
    const ByteLocks locks(mapping_.file.get());
    const bool first = definitions_mutex_.try_lock();
    if (!first || !locks.try_lock(definitions_byte)) {
        if (first) definitions_mutex_.unlock();
        const auto who = load_acquire(holder);
        std::string name = "another process";
        if (who > 0 && who <= mapping_.geometry.holders()) {
            const auto client = view_.client(static_cast<std::uint16_t>(who - 1));
            name = client.label + " (pid " + std::to_string(client.pid) + ')';
        }
        return fail(ErrorCode::busy, mapping_.path + " is being changed by " + name);
    }
    __atomic_store_n(holder, slot_.index + 1U, __ATOMIC_RELEASE);
    auto copy = view_.make_copy();
    if (auto done = view_.snapshot(copy); !done) {
        end_redefinition();
        return tl::unexpected(done.error());
    }
    Redefinition fresh{};
    fresh.copy = copy.state().head->definitions_copy == 0 ? 1 : 0;
    fresh.hash = write_definitions(mapping_.base(), mapping_.geometry, fresh.copy, definitions);
    compile_into(fresh.rules, definitions.current, definitions.previous);
    return fresh;
}

void Segment::end_redefinition() noexcept {
    __atomic_store_n(control_word(offsetof(Control, definitions_holder)), 0, __ATOMIC_RELEASE);
    ByteLocks(mapping_.file.get()).unlock(definitions_byte);
    definitions_mutex_.unlock();
}

Result<void> Segment::destroy(core::Instant deadline) {
    const auto result = commit(deadline, [](core::State& state, const core::Rules&, core::Instant) {
        state.head->flags |= core::flag_retired;
        ++state.head->epoch;
        return true;
    });
    const bool retired_already = detachment() == Detachment::retired;
    if (!result.ok() && !retired_already) return tl::unexpected(error_of(result));
    // Read by those that hold the segment still, such as the daemon.
    if (result.published) journal(Event::retired, "destroyed");
    detach(Detachment::retired);
    return remove_name(mapping_);
}

void Segment::journal(Event event, std::string_view text) noexcept {
    journal_.append(clock_->boot(), event, slot_.index, options_.label, text);
}

// At most one a second: a storm of them must not push a ban out of the journal.
void Segment::tell_takeover(std::uint16_t holder) noexcept {
    const auto now = clock_->boot();
    if (takeover_told_at_ != 0 && now - takeover_told_at_ < core::second_ns) return;
    takeover_told_at_ = now;
    if (holder >= mapping_.geometry.holders()) return;  // written by somebody hostile, or the door
    const auto record = slots_.record(holder);
    std::array<char, Journal::text_bytes_max + 1> text{};
    std::snprintf(text.data(), text.size(), "held by '%.*s' pid %d",
                  static_cast<int>(record.label.size() - 1), record.label.data(), record.pid);
    journal(Event::lock_takeover, text.data());
}

void Segment::count(BudgetCounter which, std::uint64_t count) noexcept {
    __atomic_fetch_add(word_at(mapping_.base(), mapping_.geometry.budget_counters +
                                                    static_cast<std::uint64_t>(which) * 8),
                       count, __ATOMIC_RELAXED);
}

void Segment::set_key_name(std::uint16_t key, std::uint32_t generation, std::string_view dimension,
                           std::string_view name) noexcept {
    if (key >= mapping_.geometry.capacity.keys) return;
    KeyName record{};
    record.generation = generation;
    record.in_use = 1;
    fill(record.dimension, dimension);
    fill(record.name, name);
    store_record(mapping_.base() + mapping_.geometry.key_names + key * sizeof(KeyName), record);
}

}  // namespace ratecoord::segment
