// SPDX-License-Identifier: Apache-2.0
//
// Stops that outlive the segment: bans, long pauses and halts, in wall-clock time.
//
// PROMISE  T1  What was written and read back is equal; anything else is refused whole, and counts
//              as a halt (a stop that cannot be read must not become a permission).
//          T2  merge() takes the later of two stops of one generation, and the newer generation
//              whole: only what lifts stops raises it: a reset, a resume, an unhalt, or
//              the success of a probe (G3, G8).
// STATE    Text, a line a value, the last line a checksum of those before it. Instants in
//          nanoseconds since 1970 UTC, so that they mean the same after a reboot.
// SHARING  Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/definition.hpp"
#include "core/rule.hpp"

namespace ratecoord::client {

struct Stops {
    struct KeyPause {
        std::uint64_t hash_high = 0;
        std::uint64_t hash_low = 0;
        std::int64_t until_utc = 0;
        bool operator==(const KeyPause&) const = default;
    };
    struct LimitHash {
        std::string name;
        std::uint64_t hash = 0;
        bool operator==(const LimitHash&) const = default;
    };

    std::uint64_t generation = 0;
    std::array<std::int64_t, 3> until_utc{};  ///< by PauseKind; 0: none
    bool halted = false;
    bool probe_required = false;
    std::uint32_t strikes = 0;
    std::vector<KeyPause> keys{};
    std::vector<LimitHash> limits{};  ///< definitions in force, so that a cold start knows its own

    bool operator==(const Stops&) const = default;
};

/// Name of the file that holds the stops of the budget `name`.
inline std::string stops_file_of(std::string_view name) {
    return std::string(name) + ".stops";
}

std::string to_text(const Stops& stops);
/// nullopt for text that to_text did not write.
std::optional<Stops> parse_stops(std::string_view text);

/// What stands in `state`. `records` are the definitions in force.
Stops stops_of(const core::State& state, const std::vector<core::LimitRecord>& records);
Stops merge(const Stops& saved, const Stops& current);
/// Makes a state obey the stops; needs the state's clock to be set. Used on states nobody shares
/// yet.
void impose(core::State& state, const core::Rules& rules, const Stops& stops, core::Instant now);

std::uint64_t hash_of(const core::LimitRecord& record) noexcept;

struct KeyHash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
};
/// What stands for a key in the state; never {0, 0}.
KeyHash key_hash(std::string_view dimension, std::string_view name) noexcept;

}  // namespace ratecoord::client
