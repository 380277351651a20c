// SPDX-License-Identifier: Apache-2.0
#include "segment/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ratecoord::segment {

unsigned long wide_hash(const void* bytes, unsigned long size) noexcept;  // checksum_wide.cpp

namespace {

std::uint64_t hash(const void* bytes, std::size_t size) noexcept {
#if defined(__x86_64__)
    // A full calendar takes less than half the time so; what is short is not worth the call.
    constexpr std::size_t worthwhile = 1024;
    if (size >= worthwhile) {
        static const bool is_wide = __builtin_cpu_supports("avx2") != 0;
        if (is_wide) return wide_hash(bytes, size);
    }
#endif
    return XXH3_64bits(bytes, size);
}

// Sections are hashed apart because they are apart in memory; their lengths are in the head, so
// that two different states cannot look alike by a shifted boundary.
std::uint64_t join(std::uint64_t sum, std::uint64_t next) noexcept {
    sum = (sum ^ next) * 0x9e3779b97f4a7c15U;
    return sum ^ (sum >> 29);
}

template <class Record>
std::uint64_t join(std::uint64_t sum, std::span<Record> records) noexcept {
    if (records.empty()) return sum;
    return join(sum, hash(records.data(), records.size_bytes()));
}

}  // namespace

std::uint64_t checksum(const void* bytes, std::size_t size) noexcept {
    return hash(bytes, size);
}

std::uint64_t checksum(const core::State& state, std::uint64_t version) noexcept {
    auto sum = join(version, XXH3_64bits(state.head, sizeof(core::StateHead)));
    sum = join(sum, state.cells());
    sum = join(sum, state.keys());
    return join(sum, state.entries());
}

}  // namespace ratecoord::segment
