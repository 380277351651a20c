// SPDX-License-Identifier: Apache-2.0
//
// Texts that are nearly right.
#pragma once

#include <rapidcheck.h>

#include <string>

namespace ratecoord::testing {

/// `text` with `count` bytes changed, dropped, doubled or inserted from `bytes`.
inline std::string mutated(std::string text, int count, const std::string& bytes) {
    for (int i = 0; i < count; ++i) {
        const auto byte = *rc::gen::elementOf(bytes);
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
        switch (*rc::gen::inRange(0, 4)) {
            case 0:
                text.insert(at, 1, byte);
                break;
            case 1:
                if (at < text.size()) text.erase(at, 1);
                break;
            case 2:
                if (at < text.size()) text.insert(at, 1, text[at]);
                break;
            default:
                if (at < text.size()) text[at] = byte;
                break;
        }
    }
    return text;
}

/// `text` with `count` of its digits changed: still of the same form, and often of no date.
inline std::string with_other_digits(std::string text, int count) {
    for (int i = 0; i < count; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        if (text[at] >= '0' && text[at] <= '9') {
            text[at] = *rc::gen::inRange<char>('0', '9' + 1);
        }
    }
    return text;
}

}  // namespace ratecoord::testing
