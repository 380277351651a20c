// SPDX-License-Identifier: Apache-2.0
#include "retry/chance.hpp"

#include <sys/random.h>
#include <unistd.h>
#include <cerrno>

#include <ratecoord/permit.hpp>

namespace ratecoord::retry {

bool fill_random(std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

std::uint64_t random_bits() noexcept {
    std::uint64_t bits = 0;
    if (fill_random(std::as_writable_bytes(std::span(&bits, 1)))) return bits;
    // The finaliser of splitmix64.
    bits = static_cast<std::uint64_t>(BootClock::now().time_since_epoch().count()) ^
           static_cast<std::uint64_t>(::getpid()) << 32 ^ reinterpret_cast<std::uintptr_t>(&bits);
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

}  // namespace ratecoord::retry
