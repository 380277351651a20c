// SPDX-License-Identifier: Apache-2.0
//
// What every fuzz target stands on.
//
// PROMISE  A broken promise of the code under test ends the program, in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// The target: takes any bytes, returns 0. libFuzzer calls it; without libFuzzer, replay_main does.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer names it
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ratecoord::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Takes the first line off `text`, without its line end; all of it if there is none.
inline std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

/// Takes a number of eight bytes off the front; what is missing is 0.
inline std::int64_t take_number(std::string_view& text) {
    std::uint64_t number = 0;
    for (int i = 0; i < 8 && !text.empty(); ++i) {
        number = number << 8 | static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
    }
    return static_cast<std::int64_t>(number);
}

}  // namespace ratecoord::fuzz
