// SPDX-License-Identifier: Apache-2.0
//
// Random histories as vectors of byte quadruples: they shrink well, and what a byte means is up to
// the property.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <vector>

#include <rapidcheck.h>

namespace core_test {

struct Op {
    std::uint8_t act;
    std::uint8_t a;
    std::uint8_t b;
    std::uint8_t c;
};

inline std::ostream& operator<<(std::ostream& out, const Op& op) {
    return out << '{' << int(op.act) << ',' << int(op.a) << ',' << int(op.b) << ',' << int(op.c)
               << '}';
}

/// Bytes of the whole range whatever the size of the case; they shrink towards 0.
template <std::size_t N>
rc::Gen<std::array<std::uint8_t, N>> any_bytes() {
    return rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::array<std::uint8_t, N>>());
}

/// Acts below `acts`, or 255 (a request) for the share `asks` of acts + asks.
inline std::vector<Op> any_history(int acts, int asks, double length) {
    const auto op = rc::gen::map(any_bytes<4>(), [=](const std::array<std::uint8_t, 4>& bytes) {
        const int act = bytes[0] % (acts + asks);
        return Op{static_cast<std::uint8_t>(act < acts ? act : 255), bytes[1], bytes[2], bytes[3]};
    });
    return *rc::gen::scale(length, rc::gen::container<std::vector<Op>>(op));
}

}  // namespace core_test
