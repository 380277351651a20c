// SPDX-License-Identifier: Apache-2.0
#include "segment/segment.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "segment/futex.hpp"

namespace ratecoord::segment {
namespace {

/// A counter that nobody else writes now.
void raise(std::uint64_t* word, std::uint64_t count) noexcept {
    __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + count, __ATOMIC_RELAXED);
}

const char* text_of(Detachment why) {
    switch (why) {
        case Detachment::retired:
            return "was destroyed";
        case Detachment::vanished:
            return "was removed";
        case Detachment::replaced:
            return "was removed and made anew";
        case Detachment::descriptor_lost:
            return "lost its descriptor: this process closed it";
        case Detachment::forked:
            return "could not be attached by this forked child";
        case Detachment::pages_lost:
            return "lost its memory: its file was cut short or punched, or its disk failed";
        case Detachment::attached:
            break;
    }
    return "is not attached";
}

}  // namespace

void Tally::add(ClientCounter which, std::uint64_t count) noexcept {
    raise(word_at(base_, geometry_.clients + slot_ * sizeof(ClientRecord) +
                             offsetof(ClientRecord, counters) +
                             static_cast<std::uint64_t>(which) * 8),
          count);
}

std::uint64_t* Tally::row_of(std::uint16_t limit) const noexcept {
    const auto row = (std::uint64_t{slot_} * geometry_.capacity.limits + limit) * limit_counters;
    return word_at(base_, geometry_.limit_counters + row * 8);
}

void Tally::add(std::uint16_t limit, LimitCounter which, std::uint64_t count) noexcept {
    if (limit >= geometry_.capacity.limits) return;
    raise(row_of(limit) + static_cast<std::size_t>(which), count);
}

void Tally::add_permit(std::uint16_t limit, std::uint64_t units) noexcept {
    if (limit >= geometry_.capacity.limits) return;
    auto* const row = row_of(limit);
    raise(row + static_cast<std::size_t>(LimitCounter::permits), 1);
    raise(row + static_cast<std::size_t>(LimitCounter::units), units);
}

Segment::Segment(Mapping mapping, const AttachOptions& options)
    : options_(options),
      clock_(options.clock),
      mapping_(std::move(mapping)),
      view_(mapping_),
      slots_(mapping_.base(), mapping_.geometry, mapping_.file.get()),
      journal_(mapping_.base(), mapping_.geometry),
      records_(std::size_t{2} * mapping_.geometry.capacity.limits),
      fresh_records_(records_.size()) {
    rules_.current.reserve(mapping_.geometry.capacity.limits);
    rules_.previous.reserve(mapping_.geometry.capacity.limits);
}

Result<std::unique_ptr<Segment>> Segment::create(const Place& place, const CreateOptions& options,
                                                 const AttachOptions& attach_options) {
    if (auto done = create_file(place, options); !done) return tl::unexpected(done.error());
    return attach(place, attach_options);
}

Result<std::unique_ptr<Segment>> Segment::attach(const Place& place, const AttachOptions& options) {
    auto mapping = map_file(place, Access::read_write);
    if (!mapping) return tl::unexpected(mapping.error());
    std::unique_ptr<Segment> segment(new Segment(std::move(*mapping), options));
    if (!segment->guard_.works()) {
        return fail(ErrorCode::system,
                    place.path() + " cannot be used: no page to notice a fork with", {}, errno);
    }
    if (auto joined = segment->join(); !joined) return tl::unexpected(joined.error());
    segment->guard_.watch(segment->mapping_.file, segment->mutex_);
    if (segment->mapping_.pages.lost()) {
        segment->detach(Detachment::pages_lost);
        return tl::unexpected(segment->error_of({.code = ErrorCode::segment_corrupt}));
    }
    return segment;
}

Segment::~Segment() {
    // A child that never attached for itself owns nothing here; a lost descriptor is not ours.
    if (slot_.index == core::none || !guard_.works() || !guard_.is_ours()) return;
    if (detachment() == Detachment::descriptor_lost) return;
    slots_.release(slot_, clock_->boot());
}

Result<void> Segment::join() {
    const auto now = clock_->boot();
    checked_at_.store(now, std::memory_order_relaxed);
    const auto claim = [&] {
        return slots_.claim(options_.label, clock_->boot(), mapping_.host.pid_namespace,
                            options_.spare);
    };
    auto slot = claim();
    if (!slot && slot.error().code == ErrorCode::segment_full && options_.lapse != nullptr) {
        sweep_through_the_door();
        slot = claim();
    }
    // The spare slots rest, too: who stops or removes a budget waits for one rather than give up.
    constexpr int looks_max = 25;
    for (int looks = 0; options_.spare && !slot && looks < looks_max; ++looks) {
        futex_wait(epoch_word(), load_acquire(epoch_word()), monotonic_now() + slot_rest_ns / 20);
        slot = claim();
    }
    if (!slot) return tl::unexpected(slot.error());
    use_slot(*slot);
    return {};
}

void Segment::use_slot(SlotId slot) {
    publication_ = Publication<>(mapping_.base(), mapping_.geometry, slot.index);
    slot_ = slot;
    slots_.adopt(slot.index);
    view_.adopt(slot.index);
}

// A commit needs buffers, and buffers belong to slots: who finds every slot taken borrows the
// door's.
void Segment::sweep_through_the_door() {
    if (!slots_.claim_door()) return;
    publication_ = Publication<>(mapping_.base(), mapping_.geometry, mapping_.geometry.door());
    sweep(options_.lapse, clock_->boot() + core::second_ns);
    publication_ = Publication<>();
    slots_.release_door();
}

bool Segment::lock_threads(core::Instant deadline) noexcept {
    return mutex_.lock_until(
        core::add(monotonic_now(), absolute(deadline, *clock_) - clock_->boot()));
}

Error Segment::error_of(const CommitResult& result) const {
    Error error{result.code, 0, mapping_.path + ' ', {}};
    switch (result.code) {
        case ErrorCode::deadline_exceeded:
            error.message += "was too busy to decide in time; nothing was drawn";
            break;
        case ErrorCode::detached:
            error.message += text_of(detachment());
            error.hint = "open it again";
            break;
        case ErrorCode::segment_corrupt:
            error.message += detachment() == Detachment::pages_lost
                                 ? text_of(Detachment::pages_lost)
                                 : "holds a state that fails its checks";
            error.message += "; no permit can be given";
            error.hint =
                "'ratectl destroy NAME --unusable', then create it anew; saved stops are kept";
            break;
        case ErrorCode::segment_full:
            error.message += "has no free client slot for this forked child";
            break;
        default:
            error.message += "could not be used";
            break;
    }
    return error;
}

ErrorCode Segment::refresh_rules(const core::StateHead& head) noexcept {
    if (!read_definitions(mapping_.base(), mapping_.geometry, head, fresh_records_)) {
        return ErrorCode::segment_corrupt;
    }
    records_.swap(fresh_records_);
    const std::span<const core::LimitRecord> records(records_);
    compile_into(rules_, records.first(head.limits_in_use),
                 records.subspan(mapping_.geometry.capacity.limits, head.limits_in_use));
    rules_version_ = head.definitions_version;
    return ErrorCode{};
}

std::vector<core::LimitRecord> Segment::last_definitions() {
    if (!lock_threads(clock_->boot() + core::second_ns)) return {};
    const LocalHold hold(mutex_);
    const auto count = static_cast<std::ptrdiff_t>(rules_.current.size());
    return {records_.begin(), records_.begin() + count};
}

WaitEnd Segment::wait(std::uint64_t epoch_seen, core::Instant until) noexcept {
    if (!guard_.is_ours() && renew_after_fork() != ErrorCode{}) return WaitEnd::detached;
    const auto now = clock_->boot();
    if (now >= until) return WaitEnd::due;
    if (now - checked_at_.load(std::memory_order_relaxed) > check_interval_ns) check_at(now);
    if (mapping_.pages.lost()) detach(Detachment::pages_lost);
    if (detachment() != Detachment::attached) return WaitEnd::detached;
    switch (EpochWord<>(epoch_word()).look(publication_.published(), epoch_seen)) {
        case EpochWord<>::Look::moved:
            return WaitEnd::changed;
        case EpochWord<>::Look::repaired:
            count(BudgetCounter::epoch_repairs);
            break;
        case EpochWord<>::Look::current:
            break;
    }
    const bool is_slice = until - now > core::second_ns;
    const auto sleep = is_slice ? core::second_ns : until - now;
    switch (
        futex_wait(epoch_word(), static_cast<std::uint32_t>(epoch_seen), monotonic_now() + sleep)) {
        case FutexEnd::timed_out:
            return is_slice ? WaitEnd::slice : WaitEnd::due;
        case FutexEnd::lost:
            detach(Detachment::pages_lost);
            return WaitEnd::detached;
        case FutexEnd::woken:
        case FutexEnd::changed:
            break;
    }
    return WaitEnd::changed;
}

bool Segment::lapse_one(SlotId slot, Lapse lapse, core::Instant deadline) noexcept {
    return commit(deadline,
                  [&](core::State& state, const core::Rules& rules, core::Instant now) {
                      const bool changed = lapse(state, rules, now, slot.index, slot.generation);
                      return changed ? Verdict::publish : Verdict::unchanged;
                  })
        .ok();
}

std::vector<DeadClient> Segment::sweep(Lapse lapse, core::Instant deadline) {
    std::vector<DeadClient> swept;
    if (!sweep_mutex_.try_lock()) return swept;
    const LocalHold hold(sweep_mutex_);
    for (const auto slot : slots_.dead()) {
        const auto info = view_.client(slot);
        const auto lapse_it = [&](SlotId id) { return lapse_one(id, lapse, deadline); };
        if (!slots_.sweep(slot, clock_->boot(), lapse_it)) continue;
        swept.push_back({info.slot, info.pid, info.label});
        count(BudgetCounter::recoveries);
    }
    return swept;
}

}  // namespace ratecoord::segment
