// SPDX-License-Identifier: Apache-2.0
//
// The only way in which bytes enter or leave a segment: whole words, atomically.
//
// PROMISE  A load acquires and a store releases, each word on its own. On x86 this costs what a
//          plain move costs, needs no fence, and ThreadSanitizer understands it. (memcpy would be a
//          data race; relaxed words and a fence are right too, but g++ cannot check them.)
// SHARING  Shared memory on one side, memory of this thread alone on the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "segment/steps.hpp"

namespace ratecoord::segment {

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

inline std::uint64_t* word_at(std::byte* base, std::uint64_t offset) noexcept {
    return reinterpret_cast<std::uint64_t*>(base + offset);
}

inline std::uint64_t load_acquire(const std::uint64_t* word) noexcept {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

inline std::uint32_t load_acquire(const std::uint32_t* word) noexcept {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Copies `bytes` (a multiple of 8) out of a segment, each word acquired.
template <class Steps = SystemSteps>
inline void load_words(void* to, const std::byte* shared, std::size_t bytes) noexcept {
    const auto* from = reinterpret_cast<const std::uint64_t*>(shared);
    auto* out = static_cast<std::byte*>(to);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
        Steps::at(Step::word_in);
        const auto word = load_acquire(from++);
        std::memcpy(out + at, &word, word_bytes);
    }
}

/// Copies `bytes` (a multiple of 8) into a segment, each word released.
template <class Steps = SystemSteps>
inline void store_words(std::byte* shared, const void* from, std::size_t bytes) noexcept {
    auto* to = reinterpret_cast<std::uint64_t*>(shared);
    const auto* in = static_cast<const std::byte*>(from);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, in + at, word_bytes);
        Steps::at(Step::word_out);
        __atomic_store_n(to++, word, __ATOMIC_RELEASE);
    }
}

/// A record that is only displayed, or whose truth is checked afterwards.
template <class Record>
Record load_record(const std::byte* shared) noexcept {
    Record record;
    load_words(&record, shared, sizeof(Record));
    return record;
}

template <class Record>
void store_record(std::byte* shared, const Record& record) noexcept {
    store_words(shared, &record, sizeof(Record));
}

}  // namespace ratecoord::segment
