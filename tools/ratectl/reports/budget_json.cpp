// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include <ratecoord/backoff.hpp>

#include "grammar/limit_text.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/reports/budget_report.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::CellSnapshot;
using ratecoord::LaneSnapshot;
using ratecoord::LimitSnapshot;
using ratecoord::PauseKind;
using ratecoord::Snapshot;

// An instant that is over, or never was, is no news: null.
Json ahead(const WallClock& clock, std::int64_t instant) {
    return instant > clock.now_ns() ? clock.value(instant) : Json();
}

Json lane_value(const Snapshot& snapshot, const CellSnapshot& cell, const LaneSnapshot& lane) {
    const auto in_ns = next_in_ns(snapshot, cell, lane);
    Json value;
    value["lane"] = lane.lane == ratecoord::Lane::critical ? "critical" : "normal";
    value["available"] = lane.available;
    value["most"] = lane.most;
    value["used"] = lane.used;
    value["next_in_seconds"] = in_ns ? seconds_value(*in_ns) : Json();
    return value;
}

Json cell_value(const WallClock& clock, const Snapshot& snapshot, const CellSnapshot& cell) {
    Json value;
    value["key"] = text_value(cell.key);
    value["lanes"] = Json::array();
    for (const auto& lane : cell.lanes) value["lanes"].push_back(lane_value(snapshot, cell, lane));
    value["outside_use"] = cell.outside;
    value["outside_use_from_at"] = clock.value(cell.outside_from);
    value["waiting"] = cell.waiting;
    value["waiting_units"] = cell.waiting_units;
    value["key_resume_after_at"] = ahead(clock, cell.paused_until);
    value["opens_at"] = ahead(clock, cell.opens_at);
    value["paced_until_at"] = ahead(clock, cell.paced_until);
    value["predecessor_until_at"] =
        cell.has_predecessor ? ahead(clock, cell.predecessor_until) : Json();
    value["unverified"] = cell.unverified;
    return value;
}

Json limit_value(const WallClock& clock, const Snapshot& snapshot, const LimitSnapshot& limit) {
    const auto& definition = limit.definition;
    Json value;
    value["limit"] = definition.name;
    value["kind"] = ratecoord::grammar::name_of(definition.kind);
    value["quota"] = definition.quota;
    value["window_seconds"] = seconds_value(definition.window.count());
    value["rate_per_second"] = static_cast<double>(limit.sustained_per_second_milli) / 1000;
    value["burst"] = definition.burst;
    value["slack_seconds"] = seconds_value(definition.slack.count());
    value["spread"] = definition.spread;
    value["reserve_percent"] = definition.reserve_percent;
    value["per"] = text_value(definition.per);
    value["granted_permits_total"] = limit.granted_permits;
    value["granted_units_total"] = limit.granted_units;
    value["refused_total"] = limit.refused;
    value["keys"] = Json::array();
    for (const auto& cell : limit.cells) value["keys"].push_back(cell_value(clock, snapshot, cell));
    value["drawn_by"] = Json::array();
    for (const auto& drawn : limit.drawn_by) {
        Json client;
        client["label"] = drawn.label;
        client["pid"] = drawn.pid;
        client["permits"] = drawn.permits;
        client["units"] = drawn.units;
        value["drawn_by"].push_back(std::move(client));
    }
    return value;
}

Json stops_value(const WallClock& clock, const Snapshot& snapshot) {
    Json value;
    for (const auto kind : {PauseKind::ban, PauseKind::cooldown, PauseKind::manual}) {
        const auto until = pause_end(snapshot, kind);
        Json& pause = value[std::string(name_of(kind))];
        if (until == 0) continue;  // null: no such pause stands
        pause["resume_after_at"] = clock.value(until);
        pause["remaining_seconds"] = seconds_value(clock.left_ns(until));
    }
    value["halted"] = snapshot.halted;
    value["probe_required"] = snapshot.probe_required;
    value["probe_until_at"] = snapshot.probe_id != 0 ? ahead(clock, snapshot.probe_until) : Json();
    value["strikes"] = snapshot.strikes;
    value["saved"] = snapshot.stops_saved;
    return value;
}

Json retries_value(const Snapshot& snapshot) {
    Json value;
    value["units_left"] = snapshot.retry_units;
    value["units_full"] = ratecoord::retry_units::full;
    return value;
}

Json capacity_value(const Snapshot& snapshot) {
    Json value;
    value["clients"] = snapshot.capacity.clients;
    value["reservations"] = snapshot.capacity.reservations;
    value["limits"] = snapshot.capacity.limits;
    value["keys"] = snapshot.capacity.keys;
    value["bytes"] = snapshot.capacity.bytes;
    return value;
}

}  // namespace

Json render_json(const Snapshot& snapshot, std::string_view limit) {
    const WallClock clock(snapshot.now, snapshot.utc_offset);
    Json document = new_document();
    document["taken_at"] = clock.value(snapshot.now);
    document["budget"] = snapshot.name;
    document["state"] = ratecoord::name_of(snapshot.state);
    document["stops"] = stops_value(clock, snapshot);
    document["retries"] = retries_value(snapshot);
    document["cold_until_at"] = ahead(clock, snapshot.cold_until);
    document["shadow"] = snapshot.shadow;
    document["shadow_overruns_total"] = snapshot.shadow_overruns;
    document["full_start"] = snapshot.full_start;
    document["retired"] = snapshot.retired;
    document["clients"] = std::count_if(snapshot.clients.begin(), snapshot.clients.end(),
                                        [](const auto& client) { return client.alive; });
    document["reservations"] = snapshot.reservations.size();
    document["limits"] = Json::array();
    for (const auto& each : snapshot.limits) {
        if (!limit.empty() && each.definition.name != limit) continue;
        document["limits"].push_back(limit_value(clock, snapshot, each));
    }
    document["file"] = snapshot.path;
    document["segment"] = snapshot.segment_id;
    document["commits_total"] = snapshot.version;
    document["created_at"] = clock.value(snapshot.created_at);
    document["capacity"] = capacity_value(snapshot);
    document["counters"] = Json::object();
    for (const auto& [name, count] : snapshot.counters) document["counters"][name] = count;
    return document;
}

}  // namespace ratectl
