// SPDX-License-Identifier: Apache-2.0
#include "client/stops.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/pause.hpp"
#include "core/rule.hpp"

namespace ratecoord::client {
namespace {

constexpr std::string_view first_line = "ratecoord-stops 1";
constexpr std::array<std::string_view, 3> pause_names = {"cooldown", "ban", "manual"};

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

template <class Number>
bool parse_number(std::string_view text, Number& value, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const auto end = std::min(line.find(' '), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
}

bool parse_key(const std::vector<std::string_view>& words, Stops& stops) {
    Stops::KeyPause pause;
    if (words.size() != 4 || !parse_number(words[1], pause.hash_high, 16) ||
        !parse_number(words[2], pause.hash_low, 16) || !parse_number(words[3], pause.until_utc)) {
        return false;
    }
    stops.keys.push_back(pause);
    return true;
}

bool parse_limit(const std::vector<std::string_view>& words, Stops& stops) {
    Stops::LimitHash limit;
    if (words.size() != 3 || !parse_number(words[2], limit.hash, 16)) return false;
    limit.name = words[1];
    stops.limits.push_back(limit);
    return true;
}

bool parse_line(std::string_view line, Stops& stops) {
    const auto words = words_of(line);
    if (words.size() < 2) return false;
    if (words[0] == "key") return parse_key(words, stops);
    if (words[0] == "limit") return parse_limit(words, stops);
    if (words.size() != 2) return false;
    for (std::size_t kind = 0; kind < pause_names.size(); ++kind) {
        if (words[0] == pause_names[kind]) return parse_number(words[1], stops.until_utc[kind]);
    }
    unsigned flag = 0;
    if (words[0] == "generation") return parse_number(words[1], stops.generation);
    if (words[0] == "strikes") return parse_number(words[1], stops.strikes);
    if (!parse_number(words[1], flag) || flag > 1) return false;
    if (words[0] == "halted")
        stops.halted = flag == 1;
    else if (words[0] == "probe")
        stops.probe_required = flag == 1;
    else
        return false;
    return true;
}

}  // namespace

std::uint64_t hash_of(const core::LimitRecord& record) noexcept {
    return XXH3_64bits(&record, sizeof record);
}

KeyHash key_hash(std::string_view dimension, std::string_view name) noexcept {
    XXH3_state_t hash;
    XXH3_128bits_reset(&hash);
    XXH3_128bits_update(&hash, dimension.data(), dimension.size());
    XXH3_128bits_update(&hash, "", 1);
    XXH3_128bits_update(&hash, name.data(), name.size());
    const XXH128_hash_t value = XXH3_128bits_digest(&hash);
    return {value.high64 == 0 && value.low64 == 0 ? 1 : value.high64, value.low64};
}

std::string stops_file(std::string_view budget) {
    return std::string(budget).append(".stops");
}

std::string to_text(const Stops& stops) {
    std::string text(first_line);
    const auto line = [&](std::string_view name, const std::string& value) {
        text += '\n';
        text += name;
        text += ' ';
        text += value;
    };
    line("generation", std::to_string(stops.generation));
    for (std::size_t kind = 0; kind < pause_names.size(); ++kind) {
        line(pause_names[kind], std::to_string(stops.until_utc[kind]));
    }
    line("halted", stops.halted ? "1" : "0");
    line("probe", stops.probe_required ? "1" : "0");
    line("strikes", std::to_string(stops.strikes));
    for (const auto& key : stops.keys) {
        line("key",
             hex(key.hash_high) + ' ' + hex(key.hash_low) + ' ' + std::to_string(key.until_utc));
    }
    for (const auto& limit : stops.limits) line("limit", limit.name + ' ' + hex(limit.hash));
    text += "\nchecksum " + hex(XXH3_64bits(text.data(), text.size())) + '\n';
    return text;
}

std::optional<Stops> parse_stops(std::string_view text) {
    const auto last = text.rfind("\nchecksum ");
    if (last == std::string_view::npos || text.substr(0, first_line.size()) != first_line) {
        return std::nullopt;
    }
    const std::string_view body = text.substr(0, last);
    const std::string expected = "\nchecksum " + hex(XXH3_64bits(body.data(), body.size())) + '\n';
    if (text.substr(last) != expected) return std::nullopt;
    Stops stops;
    std::string_view rest = body.substr(first_line.size());
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const auto end = std::min(rest.find('\n'), rest.size());
        if (!parse_line(rest.substr(0, end), stops)) return std::nullopt;
        rest.remove_prefix(end);
    }
    return stops;
}

Stops stops_of(const core::State& state, const std::vector<core::LimitRecord>& records) {
    const core::StateHead& head = *state.head;
    const auto to_utc = [&](core::Instant t) {
        return t > head.last_instant ? t + head.utc_offset : 0;
    };
    Stops stops;
    stops.generation = head.pause_generation;
    for (std::size_t kind = 0; kind < stops.until_utc.size(); ++kind) {
        stops.until_utc[kind] = to_utc(head.pause_until[kind]);
    }
    stops.halted = state.has(core::flag_halted);
    stops.probe_required = state.has(core::flag_probe_required);
    stops.strikes = head.strikes;
    for (const core::Key& key : state.keys()) {
        if (key.in_use == 0 || key.pause_until <= head.last_instant) continue;
        stops.keys.push_back({key.hash_high, key.hash_low, to_utc(key.pause_until)});
    }
    for (const core::LimitRecord& record : records) {
        stops.limits.push_back({record.name.data(), hash_of(record)});
    }
    return stops;
}

Stops merge(const Stops& saved, const Stops& current) {
    if (saved.generation != current.generation) {
        return saved.generation > current.generation ? saved : current;
    }
    Stops merged = current;
    for (std::size_t kind = 0; kind < merged.until_utc.size(); ++kind) {
        merged.until_utc[kind] = std::max(saved.until_utc[kind], current.until_utc[kind]);
    }
    merged.halted = saved.halted || current.halted;
    merged.strikes = std::max(saved.strikes, current.strikes);
    for (const auto& key : saved.keys) {
        const auto same = std::find_if(merged.keys.begin(), merged.keys.end(), [&](const auto& k) {
            return k.hash_high == key.hash_high && k.hash_low == key.hash_low;
        });
        if (same == merged.keys.end())
            merged.keys.push_back(key);
        else
            same->until_utc = std::max(same->until_utc, key.until_utc);
    }
    return merged;
}

void impose(core::State& state, const core::Rules& rules, const Stops& stops, core::Instant now) {
    core::StateHead& head = *state.head;
    const auto to_boot = [&](std::int64_t utc) {
        // Text may name any number; beyond the clamp it means for ever anyway.
        const std::int64_t sound = std::clamp(utc, -2 * core::far, 2 * core::far);
        return utc == 0 ? 0 : core::saturate(sound - head.utc_offset);
    };
    head.pause_generation = std::max(head.pause_generation, stops.generation);
    for (std::size_t kind = 0; kind < stops.until_utc.size(); ++kind) {
        core::pause(state, rules, static_cast<PauseKind>(kind), core::none,
                    to_boot(stops.until_utc[kind]), now);
    }
    // A ban that ended while nobody was there still owes its probe.
    if (stops.probe_required && !state.has(core::flag_probe_required)) {
        head.flags |= core::flag_probe_required;
        head.probe_not_before = now;
        head.probe_until = core::add(now, core::probe_timeout_first_ns);
    }
    head.strikes = std::max(head.strikes, stops.strikes);
    if (stops.halted) core::halt(state);
    for (const auto& key : stops.keys) {
        const std::uint16_t index = core::key_index(state, rules, key.hash_high, key.hash_low, now);
        if (index == core::none) continue;
        core::pause(state, rules, PauseKind::cooldown, index, to_boot(key.until_utc), now);
    }
}

}  // namespace ratecoord::client
