// SPDX-License-Identifier: Apache-2.0
//
// The only way in which bytes enter or leave a segment: whole words, atomically.
//
// PROMISE  A load acquires and a store releases, each word on its own. On x86 this costs what a
//          plain move costs, needs no fence, and ThreadSanitizer understands it. (memcpy would be a
//          data race; relaxed words and a fence are right too, but g++ cannot check them.)
//          A full calendar is 6,000 words, so there x86 moves two at a time: its moves of 16 bytes
//          are loads and stores in program order like any other, which is all that a reader needs
//          who looks at root afterwards, and a writer who changes it afterwards.
// SHARING  Shared memory on one side, memory of this thread alone on the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

/// Moves whole blocks of 64 bytes, in order, where the processor allows it; how many bytes it
/// moved.
template <class Steps>
inline std::size_t move_blocks(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    constexpr std::size_t block = 64;
    // Points between words are for simulations.
    if constexpr (std::is_same_v<Steps, SystemSteps>) {
        std::size_t at = 0;
        for (; at + block <= bytes; at += block) {
            asm volatile(
                "movdqu (%1), %%xmm0\n\t"
                "movdqu 16(%1), %%xmm1\n\t"
                "movdqu 32(%1), %%xmm2\n\t"
                "movdqu 48(%1), %%xmm3\n\t"
                "movdqu %%xmm0, (%0)\n\t"
                "movdqu %%xmm1, 16(%0)\n\t"
                "movdqu %%xmm2, 32(%0)\n\t"
                "movdqu %%xmm3, 48(%0)"
                :
                : "r"(static_cast<std::byte*>(to) + at),
                  "r"(static_cast<const std::byte*>(from) + at)
                : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
        }
        return at;
    }
#endif
    static_cast<void>(to);
    static_cast<void>(from);
    static_cast<void>(bytes);
    return 0;
}

/// Copies `bytes` (a multiple of 8) out of a segment, each word acquired.
template <class Steps = SystemSteps>
inline void load_words(void* to, const std::byte* shared, std::size_t bytes) noexcept {
    const std::size_t moved = move_blocks<Steps>(to, shared, bytes);
    const auto* from = reinterpret_cast<const std::uint64_t*>(shared + moved);
    auto* out = static_cast<std::byte*>(to);
    for (std::size_t at = moved; at < bytes; at += word_bytes) {
        Steps::at(Step::word_in);
        const auto word = load_acquire(from++);
        std::memcpy(out + at, &word, word_bytes);
    }
}

/// Copies `bytes` (a multiple of 8) into a segment, each word released.
template <class Steps = SystemSteps>
inline void store_words(std::byte* shared, const void* from, std::size_t bytes) noexcept {
    const std::size_t moved = move_blocks<Steps>(shared, from, bytes);
    auto* to = reinterpret_cast<std::uint64_t*>(shared + moved);
    const auto* in = static_cast<const std::byte*>(from);
    for (std::size_t at = moved; at < bytes; at += word_bytes) {
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
