// SPDX-License-Identifier: Apache-2.0
#include "ratectl/console.hpp"

#include <nlohmann/json.hpp>

namespace ratectl {

void Console::print_document(const Json& document) {
    // Labels come from other processes: what is not UTF-8 is replaced, never thrown about.
    results_ << document.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

bool Console::flush() {
    results_.flush();
    return static_cast<bool>(results_);
}

void Console::narrate(std::string_view line) {
    narration_ << printable(line) << '\n';
}

void Console::report(const Failure& failure) {
    narrate("ratectl: cannot " + failure.what + ": " + failure.cause);
    if (!failure.hint.empty()) narrate("hint: " + failure.hint);
    if (json) print_document(failure_document(failure));
}

std::string Console::tinted(std::string_view text, Tint tint) const {
    if (!colour || tint == Tint::none) return std::string(text);
    const char* start = tint == Tint::alarm     ? "\x1b[31m"
                        : tint == Tint::warning ? "\x1b[33m"
                                                : "\x1b[32m";
    return start + std::string(text) + "\x1b[0m";
}

}  // namespace ratectl
