// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/creation_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/limit_text.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitSnapshot;
using ratecoord::Snapshot;

// A limit per key has no cell yet; its keys are as cold as the budget.
std::optional<std::int64_t> first_units_in(const Snapshot& snapshot, const LimitSnapshot& limit) {
    if (limit.cells.empty() || limit.cells.front().lanes.empty()) return std::nullopt;
    return next_in_ns(snapshot, limit.cells.front(), limit.cells.front().lanes.front());
}

std::string first_units(const Snapshot& snapshot, const LimitSnapshot& limit) {
    const WallClock clock(snapshot.now, snapshot.utc_offset);
    const auto in_ns = first_units_in(snapshot, limit);
    if (!in_ns) {
        return limit.definition.per.empty()
                   ? std::string("-")
                   : fmt::format("once a key of {} is used", printable(limit.definition.per));
    }
    if (*in_ns == 0) return "now";
    return fmt::format("in {}, at {}", format_left(*in_ns), clock.text(snapshot.now + *in_ns));
}

}  // namespace

std::string render_text(const CreationReport& report) {
    const auto& snapshot = report.snapshot;
    const auto& room = snapshot.capacity;
    auto text =
        fmt::format("{}: {}", printable(snapshot.name),
                    report.dry_run ? std::string("would be created (dry run, nothing was changed)")
                                   : "created as " + printable(snapshot.path));
    text += fmt::format("\n  size: {} bytes, for {} clients, {} reservations, {} limits, {} keys\n",
                        room.bytes, room.clients, room.reservations, room.limits, room.keys);
    text += fmt::format("  start: {}\n",
                        snapshot.full_start
                            ? "full, on your word that nothing was sent to the venue lately"
                            : "cold; with --full, your word that nothing was sent to the venue "
                              "lately, units come at once");
    if (snapshot.shadow) text += "  shadow: counts and holds nobody up\n";
    for (const auto& limit : snapshot.limits) {
        text += fmt::format("  limit: {}\n    sustained rate: {}\n    first units: {}\n",
                            ratecoord::grammar::format_limit(limit.definition),
                            format_rate(limit.sustained_per_second_milli),
                            first_units(snapshot, limit));
    }
    return text;
}

Json render_json(const CreationReport& report) {
    const auto& snapshot = report.snapshot;
    Json document = new_document();
    document["action"] = "create";
    document["dry_run"] = report.dry_run;
    document["budget"] = snapshot.name;
    document["file"] = report.dry_run ? Json() : Json(snapshot.path);
    document["bytes"] = snapshot.capacity.bytes;
    document["full_start"] = snapshot.full_start;
    document["shadow"] = snapshot.shadow;
    document["limits"] = Json::array();
    for (const auto& limit : snapshot.limits) {
        const auto in_ns = first_units_in(snapshot, limit);
        Json value;
        value["limit"] = limit.definition.name;
        value["definition"] = ratecoord::grammar::format_limit(limit.definition);
        value["rate_per_second"] = static_cast<double>(limit.sustained_per_second_milli) / 1000;
        value["first_units_in_seconds"] = in_ns ? seconds_value(*in_ns) : Json();
        document["limits"].push_back(std::move(value));
    }
    return document;
}

}  // namespace ratectl
