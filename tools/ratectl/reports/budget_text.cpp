// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include <ratecoord/backoff.hpp>

#include "grammar/duration.hpp"
#include "grammar/limit_text.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/budget_report.hpp"
#include "ratectl/reports/list_report.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::CellSnapshot;
using ratecoord::LaneSnapshot;
using ratecoord::LimitKind;
using ratecoord::LimitSnapshot;
using ratecoord::PauseKind;
using ratecoord::Snapshot;

// Lines "  label: value", indented by depth.
class Lines {
  public:
    Lines(const Snapshot& snapshot, const Console& to)
        : clock(snapshot.now, snapshot.utc_offset), console(to) {}

    void add(std::size_t depth, std::string_view label, std::string_view value) {
        text += fmt::format("{:{}}{}: {}\n", "", depth * 2, label, value);
    }
    /// "12.4s left, until 2027-03-02T10:02:00Z"
    std::string left(std::int64_t instant) const {
        return fmt::format("{} left, until {}", format_left(clock.left_ns(instant)),
                           clock.text(instant));
    }

    std::string text;
    const WallClock clock;
    const Console& console;
};

void write_stops(Lines& lines, const Snapshot& snapshot) {
    for (const auto kind : {PauseKind::ban, PauseKind::cooldown, PauseKind::manual}) {
        const auto until = pause_end(snapshot, kind);
        if (until != 0) {
            lines.add(1, fmt::format("pause ({})", name_of(kind)),
                      lines.console.tinted(lines.left(until), Tint::warning));
        }
    }
    if (snapshot.halted) {
        lines.add(1, "halt",
                  lines.console.tinted("set; requests that open are refused", Tint::alarm));
    }
    if (snapshot.probe_id != 0 && snapshot.probe_until > snapshot.now) {
        lines.add(1, "probe",
                  fmt::format("permit {} is out, {}", snapshot.probe_id,
                              lines.left(snapshot.probe_until)));
    } else if (snapshot.probe_required) {
        lines.add(1, "probe", "one request goes alone before the others");
    }
    if (snapshot.strikes > 0) lines.add(1, "strikes", format_count(snapshot.strikes));
    const bool retries_spent = snapshot.retry_units < ratecoord::retry_units::retry;
    const auto retries =
        fmt::format("{} of {} units left", snapshot.retry_units, ratecoord::retry_units::full);
    lines.add(1, "retries",
              lines.console.tinted(retries, retries_spent ? Tint::warning : Tint::none));
    lines.add(1, "stops on disk",
              snapshot.stops_saved ? "yes" : lines.console.tinted("no", Tint::alarm));
}

void write_head(Lines& lines, const Snapshot& snapshot) {
    const auto alive = std::count_if(snapshot.clients.begin(), snapshot.clients.end(),
                                     [](const auto& client) { return client.alive; });
    std::size_t keys = 0;
    for (const auto& limit : snapshot.limits) {
        if (!limit.definition.per.empty()) keys += limit.cells.size();
    }
    const auto& room = snapshot.capacity;
    lines.add(0, "budget", printable(snapshot.name));
    lines.add(1, "state",
              lines.console.tinted(ratecoord::name_of(snapshot.state), tint_of(snapshot.state)));
    lines.add(1, "file", fmt::format("{}, {} bytes", printable(snapshot.path), room.bytes));
    lines.add(1, "segment",
              fmt::format("{}, {}", printable(snapshot.segment_id),
                          format_counted(snapshot.version, "commit")));
    lines.add(1, "created",
              fmt::format("{}, {} ago{}", lines.clock.text(snapshot.created_at),
                          format_age(snapshot.now - snapshot.created_at),
                          snapshot.full_start ? ", full" : ""));
    lines.add(1, "in use",
              fmt::format("{} of {} clients, {} of {} reservations, {} of {} limits, {} of {} keys",
                          alive, room.clients, snapshot.reservations.size(), room.reservations,
                          snapshot.limits.size(), room.limits, keys, room.keys));
    if (snapshot.shadow) {
        lines.add(1, "shadow",
                  fmt::format("counts and holds nobody up; {} would have waited",
                              format_counted(snapshot.shadow_overruns, "permit")));
    }
    if (snapshot.retired) lines.add(1, "retired", "no client can use it any more");
    if (snapshot.cold_until > snapshot.now) {
        lines.add(1, "cold start", lines.left(snapshot.cold_until));
    }
    write_stops(lines, snapshot);
    for (const auto& client : snapshot.clients) {
        if (!replies_come_late(client)) continue;
        lines.add(
            1, "late replies",
            lines.console.tinted(fmt::format("{} of {} to {} (pid {}); give the limits more slack",
                                             client.late_replies, client.replies,
                                             printable(client.label), client.pid),
                                 Tint::warning));
    }
}

void write_lane(Lines& lines, std::size_t depth, const Snapshot& snapshot,
                const LimitSnapshot& limit, const CellSnapshot& cell, const LaneSnapshot& lane) {
    const std::string which = cell.lanes.size() == 1                   ? ""
                              : lane.lane == ratecoord::Lane::critical ? " (critical)"
                                                                       : " (normal)";
    lines.add(depth, "available" + which, fmt::format("{} of {}", lane.available, lane.most));
    const auto in_ns = next_in_ns(snapshot, cell, lane);
    lines.add(depth, "next" + which,
              !in_ns        ? std::string("-")
              : *in_ns == 0 ? std::string("now")
                            : fmt::format("in {}, at {}", format_left(*in_ns),
                                          lines.clock.text(snapshot.now + *in_ns)));
    const bool fixed = limit.definition.kind == LimitKind::fixed;
    lines.add(depth, (fixed ? "used in this window" : "not yet regained") + which,
              format_count(lane.used));
}

std::string outside_use(const Lines& lines, const Snapshot& snapshot, const LimitSnapshot& limit,
                        const CellSnapshot& cell) {
    auto text = format_count(cell.outside);
    if (cell.outside_from == 0) return text;  // not counted by windows, or no reply told it yet
    const auto window = limit.definition.window.count();
    const auto since = snapshot.now - cell.outside_from;
    if (since < window) return text + " in this window";
    if (since - window < window) return text + " in the window before";
    return text + " in the window from " + lines.clock.text(cell.outside_from);
}

void write_cell(Lines& lines, std::size_t depth, const Snapshot& snapshot,
                const LimitSnapshot& limit, const CellSnapshot& cell) {
    for (const auto& lane : cell.lanes) write_lane(lines, depth, snapshot, limit, cell, lane);
    lines.add(depth, "outside use", outside_use(lines, snapshot, limit, cell));
    lines.add(depth, "waiting",
              fmt::format("{}, {}", format_counted(cell.waiting, "request"),
                          format_counted(cell.waiting_units, "unit")));
    const auto until = [&](std::string_view label, std::int64_t instant) {
        if (instant > snapshot.now) lines.add(depth, label, lines.left(instant));
    };
    until("pause of this key", cell.paused_until);
    until("cold start", cell.opens_at);
    until("paced after a pause", cell.paced_until);
    if (cell.has_predecessor) until("its rule before also counts", cell.predecessor_until);
    if (cell.unverified) {
        lines.add(depth, "unverified",
                  "the window began before this budget; the venue's count is "
                  "not known yet");
    }
}

void write_limit(Lines& lines, const Snapshot& snapshot, const LimitSnapshot& limit) {
    const auto& definition = limit.definition;
    lines.text += '\n';
    lines.add(1, "limit", printable(definition.name));
    lines.add(2, "kind", ratecoord::grammar::name_of(definition.kind));
    lines.add(2, "quota",
              fmt::format("{} per {}", format_counted(definition.quota, "unit"),
                          ratecoord::grammar::format_duration(definition.window)));
    lines.add(2, "sustained rate", format_rate(limit.sustained_per_second_milli));
    // Of a fixed limit it matters only where the limit is paced.
    const bool paced = definition.kind != LimitKind::fixed || definition.spread;
    if (paced) lines.add(2, "burst", format_count(definition.burst));
    if (definition.spread) lines.add(2, "spread", "evenly over the window");
    lines.add(2, "slack", ratecoord::grammar::format_duration(definition.slack));
    if (definition.reserve_percent > 0) {
        lines.add(2, "reserve",
                  fmt::format("{}% for the critical lane", definition.reserve_percent));
    }
    lines.add(2, "granted",
              fmt::format("{} in {}", format_counted(limit.granted_units, "unit"),
                          format_counted(limit.granted_permits, "permit")));
    lines.add(2, "refused", format_count(limit.refused));
    if (definition.per.empty()) {
        for (const auto& cell : limit.cells) write_cell(lines, 2, snapshot, limit, cell);
    } else {
        lines.add(2, "counted per", printable(definition.per));
        if (limit.cells.empty()) lines.add(2, "keys", "none was used yet");
        for (const auto& cell : limit.cells) {
            lines.add(2, "key", printable(cell.key));
            write_cell(lines, 3, snapshot, limit, cell);
        }
    }
    for (const auto& drawn : limit.drawn_by) {
        lines.add(2, "drawn by",
                  fmt::format("{} (pid {}): {} in {}", printable(drawn.label), drawn.pid,
                              format_counted(drawn.units, "unit"),
                              format_counted(drawn.permits, "permit")));
    }
}

}  // namespace

std::string render_text(const Snapshot& snapshot, std::string_view limit, const Console& console) {
    Lines lines(snapshot, console);
    write_head(lines, snapshot);
    for (const auto& each : snapshot.limits) {
        if (limit.empty() || each.definition.name == limit) write_limit(lines, snapshot, each);
    }
    return lines.text;
}

}  // namespace ratectl
