// SPDX-License-Identifier: Apache-2.0
#include "demo/scenes.hpp"

#include <array>
#include <string_view>

namespace demo {

void play(const std::string& scene, Cast& cast) {
    struct Entry {
        std::string_view name;
        void (*play)(Cast&);
    };
    static constexpr std::array entries{
        Entry{"today", play_today},           Entry{"shared", play_shared},
        Entry{"thousand", play_thousand},     Entry{"ban", play_ban},
        Entry{"saturation", play_saturation}, Entry{"two-limits", play_two_limits},
        Entry{"strangers", play_strangers},
    };
    for (const Entry& entry : entries) {
        if (entry.name == scene) entry.play(cast);
    }
}

}  // namespace demo
