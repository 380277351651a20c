// SPDX-License-Identifier: Apache-2.0
//
// One thing that the doctor saw, why it matters, and what to do about it.
#pragma once

#include <string>

namespace ratectl {

enum class Grade {
    fine,
    note,       ///< worth knowing; nothing has to be done
    attention,  ///< needs a hand
};

struct Finding {
    Grade grade = Grade::fine;
    std::string check;   ///< "directory", "clock"
    std::string budget;  ///< empty: the host
    std::string seen;    ///< one sentence without a full stop
    std::string why;     ///< what comes of it; empty where `seen` says it
    std::string next;    ///< a command, or what to do; never empty where a hand is needed
};

inline Finding fine(std::string check, std::string seen) {
    return {Grade::fine, std::move(check), {}, std::move(seen), {}, {}};
}

inline Finding note(std::string check, std::string seen, std::string why, std::string next = {}) {
    return {Grade::note, std::move(check), {}, std::move(seen), std::move(why), std::move(next)};
}

inline Finding attention(std::string check, std::string seen, std::string why, std::string next) {
    return {Grade::attention, std::move(check), {},
            std::move(seen),  std::move(why),   std::move(next)};
}

}  // namespace ratectl
