// SPDX-License-Identifier: Apache-2.0
#include "simulation/mean.hpp"

#include <cmath>

namespace simulation {

void Mean::add(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    const auto digits = static_cast<unsigned __int128>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + 64;
    if (shift >= 0) {
        sum_ += digits << shift;
    } else if (shift > -64) {
        sum_ += digits >> -shift;
    }
    ++count_;
}

double Mean::value() const {
    if (sum_ == 0) return 0;
    // As many digits of the quotient as fit; its last one also says whether anything is left, so
    // that the one rounding, when it becomes a double, goes the right way.
    unsigned __int128 sum = sum_;
    int shift = 0;
    while ((sum >> 127) == 0) {
        sum <<= 1;
        ++shift;
    }
    unsigned __int128 quotient = sum / count_;
    if (sum % count_ != 0) quotient |= 1;
    return std::ldexp(static_cast<double>(quotient), -64 - shift);
}

}  // namespace simulation
