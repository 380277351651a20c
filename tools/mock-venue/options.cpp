// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/options.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "mock-venue/command_line.hpp"
#include "mock-venue/option_text.hpp"
#include "mock-venue/presets.hpp"

namespace mock_venue {

namespace {

// Runs `read` on the value of an option and turns its complaint into one about that option.
template <typename Read>
auto reading(const std::string& option, const std::string& value, Read read) {
    try {
        return read(value);
    } catch (const InvalidText& error) {
        throw UsageError("cannot use " + option + " '" + value + "': " + error.what(),
                         "see 'mock-venue --help' for how " + option + " is written");
    }
}

template <typename Read, typename Target>
void reading_into(const std::string& option, const std::optional<std::string>& value, Read read,
                  Target& target) {
    if (value) target = static_cast<Target>(reading(option, *value, read));
}

std::uint64_t read_up_to(const std::string& text, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = read_number(text);
    if (value < least || value > most) {
        throw InvalidText("it must be between " + std::to_string(least) + " and " +
                          std::to_string(most));
    }
    return value;
}

bool read_flag(const std::string& text) {
    return read_up_to(text, 0, 1) == 1;
}

RetryAfter read_retry_after(const std::string& text) {
    if (text == "header") return RetryAfter::seconds;
    if (text == "date") return RetryAfter::date;
    if (text == "none") return RetryAfter::none;
    throw InvalidText("it must be header, date or none");
}

Nanos read_positive_duration(const std::string& text) {
    const Nanos duration = read_duration(text);
    if (duration <= Nanos::zero()) throw InvalidText("it must be longer than 0");
    if (duration > std::chrono::days{366}) throw InvalidText("it must be at most 366d");
    return duration;
}

VenueRules start_from(const std::string& name) {
    if (name.empty()) return {};
    if (auto rules = preset(name)) return *std::move(rules);
    throw UsageError("cannot use --preset '" + name + "': there is no such preset",
                     "the presets are " + std::string(preset_names()));
}

void read_limits(const RawOptions& raw, VenueRules& rules) {
    std::vector<std::string> seen;
    for (const std::string& text : raw.limits) {
        LimitSpec limit = reading("--limit", text, read_limit);
        if (std::find(seen.begin(), seen.end(), limit.name) != seen.end()) {
            throw UsageError(
                "cannot use --limit '" + text + "': '" + limit.name + "' is given twice",
                "give each limit its own name");
        }
        seen.push_back(limit.name);
        const auto same = std::find_if(rules.limits.begin(), rules.limits.end(),
                                       [&](const auto& each) { return each.name == limit.name; });
        if (same == rules.limits.end()) {
            rules.limits.push_back(std::move(limit));
        } else {
            *same = std::move(limit);
        }
    }
}

void read_routes(const RawOptions& raw, VenueRules& rules) {
    std::vector<Route> routes;
    for (const std::string& text : raw.routes) {
        routes.push_back(reading("--route", text, read_route));
        reading("--route", text, [&](const std::string&) {
            return CostBook({routes.back()}, LimitTable(rules.limits));
        });
    }
    // The preset's come after: the first match holds, and the user's word goes first.
    routes.insert(routes.end(), rules.routes.begin(), rules.routes.end());
    const bool has_orders = std::any_of(rules.limits.begin(), rules.limits.end(),
                                        [](const auto& each) { return each.name == "orders"; });
    // A limit on orders that an order does not draw from would surprise everybody.
    if (has_orders) routes.push_back(read_route("POST /api/v3/order orders=1"));
    rules.routes = std::move(routes);
}

void read_bans(const RawOptions& raw, VenueRules& rules) {
    LadderRule& ladder = rules.ladder;
    reading_into("--ban-after", raw.ban_after, read_number, ladder.ban_after);
    reading_into("--ban-base", raw.ban_base, read_positive_duration, ladder.base);
    reading_into("--ban-max", raw.ban_max, read_positive_duration, ladder.max);
    reading_into("--ban-forget", raw.ban_forget, read_duration, ladder.forget);
    reading_into("--ban-grace", raw.ban_grace, read_duration, ladder.grace);
    reading_into("--ban-extends", raw.ban_extends, read_flag, ladder.extends);
    reading_into(
        "--ban-status", raw.ban_status,
        [](const std::string& text) { return read_up_to(text, 400, 499); }, rules.ban_status);
    reading_into("--count-rejected", raw.count_rejected, read_flag, rules.count_rejected);
    reading_into("--retry-after", raw.retry_after, read_retry_after, rules.voice.retry_after);
}

void read_share(const std::string& option, const std::string& value, std::uint32_t& share,
                Nanos& length) {
    if (value.empty()) return;
    reading(option, value, [&](const std::string& text) {
        const auto [part, duration] = split_pair(text, ':');
        share = read_millionths(part);
        length = read_duration(duration);
        return share;
    });
}

void read_faults(const RawOptions& raw, VenueRules& rules) {
    for (const std::string& text : raw.injections) {
        rules.injections.push_back(reading("--inject", text, read_injection));
    }
    rules.latency = reading("--latency", raw.latency, read_duration);
    OrderChances& chances = rules.order_chances;
    chances.lose_answer = reading("--lose-answer", raw.lose_answer, read_millionths);
    chances.lose_request = reading("--lose-request", raw.lose_request, read_millionths);
    chances.fail = reading("--fail-order", raw.fail_order, read_millionths);
    chances.duplicate = reading("--duplicate-order", raw.duplicate_order, read_millionths);
    rules.seed = reading("--seed", raw.seed, read_number);
    read_share("--slow-order", raw.slow_order, chances.slow, chances.slow_by);
    read_share("--hide-order", raw.hide_order, chances.hide, chances.hide_for);
}

void apply_scale(const RawOptions& raw, VenueRules& rules) {
    rules.time_scale = reading("--time-scale", raw.time_scale, [](const std::string& text) {
        return read_up_to(text, 1, 1'000'000);
    });
    const auto divisor = static_cast<std::int64_t>(rules.time_scale);
    reading("--time-scale", raw.time_scale, [&](const std::string&) {
        for (LimitSpec& limit : rules.limits) scale_window(limit, rules.time_scale);
        return 0;
    });
    rules.ladder.base /= divisor;
    rules.ladder.max /= divisor;
    rules.ladder.forget /= divisor;
    for (Injection& injection : rules.injections) {
        if (injection.retry_after) *injection.retry_after /= divisor;
    }
}

Options interpret(const RawOptions& raw) {
    Options options;
    options.port = static_cast<std::uint16_t>(reading(
        "--port", raw.port, [](const std::string& text) { return read_up_to(text, 0, 65'535); }));
    options.run_for = std::chrono::seconds(reading("--run-for", raw.run_for, [](const auto& text) {
        return read_up_to(text, 1, 7 * 86'400);
    }));
    options.port_file = raw.port_file;
    options.log_file = raw.log_file;
    VenueRules& rules = options.rules;
    rules = start_from(raw.preset);
    rules.account_header = raw.account_header;
    rules.label_header = raw.label_header;
    read_limits(raw, rules);
    read_routes(raw, rules);
    read_bans(raw, rules);
    read_faults(raw, rules);
    apply_scale(raw, rules);
    return options;
}

}  // namespace

Options read_options(int argc, const char* const* argv) {
    return interpret(read_command_line(argc, argv));
}

}  // namespace mock_venue
