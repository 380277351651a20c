// SPDX-License-Identifier: Apache-2.0
#include "segment/slots.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "segment/words.hpp"

namespace ratecoord::segment {
namespace {

struct flock request(short type, std::uint64_t byte) noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(byte);
    lock.l_len = 1;
    return lock;
}

/// The first word of a ClientRecord.
struct GenerationAndUse {
    std::uint32_t generation;
    std::uint32_t in_use;
};
static_assert(offsetof(ClientRecord, generation) == 0 && offsetof(ClientRecord, in_use) == 4);

std::uint32_t* half(std::byte* record, std::size_t offset) noexcept {
    return reinterpret_cast<std::uint32_t*>(record + offset);
}

}  // namespace

bool ByteLocks::try_lock(std::uint64_t byte) const noexcept {
    auto lock = request(F_WRLCK, byte);
    return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

void ByteLocks::unlock(std::uint64_t byte) const noexcept {
    auto lock = request(F_UNLCK, byte);
    ::fcntl(fd_, F_OFD_SETLK, &lock);
}

bool ByteLocks::is_held(std::uint64_t byte) const noexcept {
    auto lock = request(F_WRLCK, byte);
    // Where the kernel cannot say, the holder counts as alive: nobody is swept by mistake.
    return ::fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Slots::in_use(std::uint16_t slot) const noexcept {
    return load_acquire(half(at(slot), offsetof(ClientRecord, in_use))) != 0;
}

std::uint32_t Slots::generation_of(std::uint16_t slot) const noexcept {
    return load_acquire(half(at(slot), offsetof(ClientRecord, generation)));
}

bool Slots::has_rested(std::uint16_t slot, core::Instant now) const noexcept {
    const auto freed = static_cast<core::Instant>(
        load_acquire(word_at(at(slot), offsetof(ClientRecord, freed_at))));
    // A stamp from the future is not ours; such a slot rests until it is swept or never.
    return freed == 0 || (freed <= now && now - freed >= slot_rest_ns);
}

ClientRecord Slots::record(std::uint16_t slot) const noexcept {
    return load_record<ClientRecord>(at(slot));
}

Result<SlotId> Slots::claim(std::string_view label, core::Instant now, std::uint64_t pid_namespace,
                            bool spare) {
    const auto end = spare ? geometry_.holders() : geometry_.capacity.clients;
    for (std::uint16_t slot = 0; slot < end; ++slot) {
        if (in_use(slot) || !has_rested(slot, now) || !locks_.try_lock(lock_base + slot)) continue;
        if (in_use(slot) || !has_rested(slot, now)) {  // somebody came and went in between
            locks_.unlock(lock_base + slot);
            continue;
        }
        keep_counts(slot);
        ClientRecord record{};
        record.generation = generation_of(slot) + 1;
        record.attached_at = now;
        record.pid_namespace = pid_namespace;
        record.pid = ::getpid();
        record.uid = ::geteuid();
        std::memcpy(record.label.data(), label.data(),
                    std::min(label.size(), record.label.size() - 1));
        store_record(at(slot), record);
        // Last, and releasing the rest: who finds a slot in use finds whose it is (C4).
        __atomic_store_n(half(at(slot), offsetof(ClientRecord, in_use)), 1, __ATOMIC_RELEASE);
        return SlotId{slot, record.generation};
    }
    return full(now);
}

tl::unexpected<Error> Slots::full(core::Instant now) const {
    std::uint32_t resting = 0;
    for (std::uint16_t slot = 0; slot < geometry_.capacity.clients; ++slot) {
        if (!in_use(slot) && !has_rested(slot, now)) ++resting;
    }
    return fail(ErrorCode::segment_full,
                "none of the " + std::to_string(geometry_.capacity.clients) +
                    " client slots is free: " +
                    std::to_string(geometry_.capacity.clients - resting) + " are taken, " +
                    std::to_string(resting) + " rest for up to 2 s after their client left",
                resting > 0 ? "try again in 2 s" : "close clients, or create it larger");
}

void Slots::release(SlotId slot, core::Instant now) noexcept {
    retire(slot, now);
    locks_.unlock(lock_base + slot.index);
}

// Generation and use change in one swap: who lost its byte lock unnoticed and is slow may come when
// the slot is somebody else's, whose death would never be seen if it were marked free.
void Slots::retire(SlotId slot, core::Instant now) noexcept {
    auto* record = at(slot.index);
    auto* word = word_at(record, offsetof(ClientRecord, generation));
    auto held = std::bit_cast<std::uint64_t>(GenerationAndUse{slot.generation, 1});
    if (load_acquire(word) != held) return;
    // First the stamp: a free slot without it would not rest. On a slot in use it means nothing.
    __atomic_store_n(word_at(record, offsetof(ClientRecord, freed_at)),
                     static_cast<std::uint64_t>(now), __ATOMIC_RELEASE);
    const auto freed = std::bit_cast<std::uint64_t>(GenerationAndUse{slot.generation + 1, 0});
    __atomic_compare_exchange_n(word, &held, freed, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool Slots::is_dead(std::uint16_t slot) const noexcept {
    return slot != own_ && slot < geometry_.holders() && in_use(slot) &&
           !locks_.is_held(lock_base + slot);
}

std::vector<std::uint16_t> Slots::dead() const {
    std::vector<std::uint16_t> found;
    for (std::uint16_t slot = 0; slot < geometry_.holders(); ++slot) {
        if (is_dead(slot)) found.push_back(slot);
    }
    return found;
}

// The door's rows hold the sums of those that are gone. A death in between miscounts; nothing but
// the display depends on it.
void Slots::keep_counts(std::uint16_t slot) noexcept {
    const auto move = [&](std::uint64_t from, std::uint64_t to, std::uint64_t words) {
        for (std::uint64_t word = 0; word < words; ++word) {
            const auto count =
                __atomic_exchange_n(word_at(base_, from + word * 8), 0, __ATOMIC_RELAXED);
            if (count == 0) continue;
            __atomic_fetch_add(word_at(base_, to + word * 8), count, __ATOMIC_RELAXED);
        }
    };
    const auto door = static_cast<std::uint16_t>(geometry_.door());
    const auto counters = offsetof(ClientRecord, counters);
    move(geometry_.clients + slot * sizeof(ClientRecord) + counters,
         geometry_.clients + door * sizeof(ClientRecord) + counters, client_counters);
    const auto row = std::uint64_t{geometry_.capacity.limits} * limit_counters;
    move(geometry_.limit_counters + slot * row * 8, geometry_.limit_counters + door * row * 8, row);
}

}  // namespace ratecoord::segment
