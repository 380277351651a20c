// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include <ratecoord/backoff.hpp>

#include "client/impl.hpp"
#include "core/pause.hpp"

namespace ratecoord::client {
namespace {

using segment::BudgetCounter;
using segment::ClientCounter;
using segment::LimitCounter;

constexpr std::int64_t long_window_ns = 600 * core::second_ns;

std::uint64_t count_of(const segment::ClientInfo& client, ClientCounter which) {
    return client.counters[static_cast<std::size_t>(which)];
}

std::string key_text(const segment::View& view, const core::State& state, std::uint16_t key) {
    if (key == core::none) return {};
    const segment::KeyInfo info = view.key_name(key);
    if (info.generation == state.keys()[key].generation && !info.name.empty()) return info.name;
    char text[24];
    std::snprintf(text, sizeof text, "#%08llx",
                  static_cast<unsigned long long>(state.keys()[key].hash_high >> 32));
    return text;
}

/// Renders one state: everything the pieces below need.
struct Scene {
    const segment::View& view;
    core::State& state;
    const core::Rules& rules;
    core::Workspace& workspace;
    core::Instant now;
};

LaneSnapshot lane_of(const Scene& s, std::uint16_t index, std::size_t lane) {
    const core::Cell& cell = s.state.cell_storage[index];
    const core::Rule& rule = s.rules.of(cell);
    LaneSnapshot result;
    result.lane = static_cast<Lane>(lane);
    result.available = core::available(*s.state.head, rule, cell, lane, s.now);
    result.most = rule.lane[lane].largest;
    result.used = rule.is_fixed() ? core::used_in_window(*s.state.head, rule, cell, lane, s.now)
                                  : core::time_to_units(cell.lane[lane].full_at - s.now,
                                                        rule.lane[lane].bucket.period,
                                                        rule.lane[lane].bucket.quota);
    core::Ask ask;
    ask.charges[0] = {index, 1};
    ask.count = 1;
    ask.lane = result.lane;
    core::Instant from = std::max(s.now, core::paused_until(*s.state.head));
    if (cell.key != core::none) from = std::max(from, s.state.keys()[cell.key].pause_until);
    result.next_in_ns = s.workspace.search.earliest(s.state, s.rules, ask, from, 0).at - s.now;
    return result;
}

CellSnapshot cell_of(const Scene& s, std::uint16_t index) {
    const core::Cell& cell = s.state.cell_storage[index];
    const core::Rule& rule = s.rules.of(cell);
    CellSnapshot result;
    result.key = key_text(s.view, s.state, cell.key);
    result.lanes.push_back(lane_of(s, index, 0));
    if (rule.has_reserve) result.lanes.push_back(lane_of(s, index, 1));
    result.outside = cell.outside;
    if (rule.is_fixed() && cell.outside_utc != 0) {
        result.outside_from = cell.outside_utc - s.state.head->utc_offset;
    }
    for (const core::Entry& entry : s.state.entries()) {
        if ((entry.flags & core::entry_confirmed) != 0) continue;
        for (std::size_t c = 0; c < entry.charges; ++c) {
            if ((entry.cell[c] & core::cell_index_mask) != index) continue;
            ++result.waiting;
            result.waiting_units += entry.units[c];
        }
    }
    if (cell.key != core::none) result.paused_until = s.state.keys()[cell.key].pause_until;
    if (cell.paced_until > s.now) result.paced_until = cell.paced_until;
    if (cell.opens_at > s.now) result.opens_at = cell.opens_at;
    if (cell.previous != core::none) {
        result.has_predecessor = true;
        result.predecessor_until = s.state.cell_storage[cell.previous].expires_at;
    }
    const core::StateHead& head = *s.state.head;
    result.unverified = rule.window > long_window_ns && !s.state.has(core::flag_full_start) &&
                        cell.outside_utc == 0 && s.now < head.created_at + rule.window;
    return result;
}

LimitSnapshot limit_of(const Scene& s, std::uint16_t limit, const core::LimitRecord& record,
                       const std::vector<segment::ClientInfo>& clients) {
    LimitSnapshot result;
    result.definition = core::to_definition(record);
    const core::Rule& rule = s.rules.current[limit];
    result.sustained_per_second_milli = core::sustained_per_second_milli(rule);
    for (std::uint16_t i = 0; i < s.state.head->cells_in_use; ++i) {
        const core::Cell& cell = s.state.cell_storage[i];
        if (cell.in_use != 1 || cell.limit != limit) continue;
        if (rule.keyed && cell.key == core::none) continue;
        result.cells.push_back(cell_of(s, i));
    }
    const segment::LimitCounts totals = s.view.limit_totals(limit);
    result.granted_permits = totals[static_cast<std::size_t>(LimitCounter::permits)];
    result.granted_units = totals[static_cast<std::size_t>(LimitCounter::units)];
    result.refused = totals[static_cast<std::size_t>(LimitCounter::refused)];
    for (const segment::ClientInfo& client : clients) {
        const segment::LimitCounts& counts = client.limits[limit];
        const std::uint64_t permits = counts[static_cast<std::size_t>(LimitCounter::permits)];
        if (permits == 0) continue;
        result.drawn_by.push_back({client.slot.index, client.label, client.pid, permits,
                                   counts[static_cast<std::size_t>(LimitCounter::units)],
                                   client.slot.generation});
    }
    std::stable_sort(result.drawn_by.begin(), result.drawn_by.end(),
                     [](const auto& a, const auto& b) { return a.units > b.units; });
    return result;
}

ClientSnapshot client_of(const Scene& s, const segment::ClientInfo& client,
                         std::uint64_t own_namespace) {
    ClientSnapshot result;
    result.slot = client.slot.index;
    result.generation = client.slot.generation;
    result.label = client.label;
    result.pid = client.pid;
    result.uid = client.uid;
    result.alive = client.alive;
    result.same_pid_namespace = client.pid_namespace == own_namespace;
    result.attached_at = client.attached_at;
    result.granted = count_of(client, ClientCounter::granted);
    result.refused = count_of(client, ClientCounter::refused);
    result.waited = count_of(client, ClientCounter::waited);
    result.reserved = count_of(client, ClientCounter::reserved);
    result.cancelled = count_of(client, ClientCounter::cancelled);
    result.lapsed = count_of(client, ClientCounter::lapsed);
    result.replies = count_of(client, ClientCounter::replies);
    result.late_replies = count_of(client, ClientCounter::late_replies);
    for (const core::Entry& entry : s.state.entries()) {
        if (entry.slot != client.slot.index || (entry.flags & core::entry_confirmed) != 0) continue;
        ++result.waiting;
        if (result.oldest_wait_until == 0) result.oldest_wait_until = entry.at;
    }
    return result;
}

ReservationSnapshot reservation_of(const Scene& s, const core::Entry& entry,
                                   const std::vector<segment::ClientInfo>& clients,
                                   const std::vector<core::LimitRecord>& records) {
    ReservationSnapshot result;
    result.id = entry.id;
    for (const auto& client : clients) {
        if (client.slot.index == entry.slot) result.label = client.label;
    }
    result.at = entry.at;
    result.deadline = entry.deadline;
    result.lane = (entry.flags & core::entry_critical) != 0 ? Lane::critical : Lane::normal;
    result.intent = static_cast<Intent>((entry.flags >> core::entry_intent_shift) & 3u);
    result.confirmed = (entry.flags & core::entry_confirmed) != 0;
    result.pending = (entry.flags & core::entry_pending) != 0;
    for (std::size_t c = 0; c < entry.charges; ++c) {
        const core::Cell& cell = s.state.cell_storage[entry.cell[c] & core::cell_index_mask];
        result.cost.emplace_back(records[cell.limit].name.data(), entry.units[c]);
    }
    return result;
}

BudgetState state_of(const Snapshot& snapshot) {
    const auto until = [&](PauseKind kind) {
        return snapshot.pause_until[static_cast<std::size_t>(kind)];
    };
    if (until(PauseKind::ban) > snapshot.now) return BudgetState::banned;
    if (until(PauseKind::cooldown) > snapshot.now || until(PauseKind::manual) > snapshot.now) {
        return BudgetState::paused;
    }
    if (snapshot.halted) return BudgetState::halted;
    if (snapshot.probe_required) return BudgetState::probing;
    bool cold = false;
    bool empty = false;
    bool busy = !snapshot.reservations.empty();
    for (const LimitSnapshot& limit : snapshot.limits) {
        for (const CellSnapshot& cell : limit.cells) {
            cold = cold || cell.opens_at > snapshot.now;
            empty = empty || cell.lanes.front().available == 0;
            busy = busy || cell.lanes.front().used > 0;
        }
    }
    if (cold) return BudgetState::cold;
    if (empty) return BudgetState::empty;
    return busy ? BudgetState::busy : BudgetState::idle;
}

void fill_head(Snapshot& snapshot, const segment::View& view, const core::State& state) {
    const core::StateHead& head = *state.head;
    snapshot.path = view.path();
    snapshot.state_directory = view.state_directory();
    snapshot.segment_id = view.id();
    snapshot.utc_offset = head.utc_offset;
    snapshot.created_at = head.created_at;
    snapshot.cold_until = head.cold_until;
    snapshot.full_start = state.has(core::flag_full_start);
    snapshot.shadow = state.has(core::flag_shadow);
    snapshot.halted = state.has(core::flag_halted);
    snapshot.retired = state.has(core::flag_retired);
    snapshot.pause_until = head.pause_until;
    snapshot.probe_required = state.has(core::flag_probe_required);
    snapshot.probe_id = head.probe_id;
    snapshot.probe_until = head.probe_until;
    snapshot.strikes = head.strikes;
    snapshot.stops_saved = head.stops_saved == head.stops_version;
    snapshot.shadow_overruns = head.shadow_overruns;
    snapshot.retry_units = std::min(head.retry_units, retry_units::full);
    const core::Capacity& capacity = view.capacity();
    snapshot.capacity = {capacity.clients, capacity.reservations, capacity.limits, capacity.keys,
                         segment::segment_bytes(capacity)};
    constexpr std::array counters = {
        std::pair{"lock_takeovers", BudgetCounter::lock_takeovers},
        std::pair{"lost_publications", BudgetCounter::lost_publications},
        std::pair{"epoch_repairs", BudgetCounter::epoch_repairs},
        std::pair{"recoveries", BudgetCounter::recoveries},
        std::pair{"lapses", BudgetCounter::lapses},
        std::pair{"ignored_refunds", BudgetCounter::ignored_refunds},
        std::pair{"late_hand_outs", BudgetCounter::late_hand_outs},
        std::pair{"pauses", BudgetCounter::pauses},
        std::pair{"retries", BudgetCounter::retries},
        std::pair{"retries_refused", BudgetCounter::retries_refused}};
    for (const auto& [name, which] : counters) {
        snapshot.counters.emplace_back(name, view.counter(which));
    }
}

}  // namespace

Result<Snapshot> make_snapshot(const std::string& name, const segment::View& view,
                               core::Instant now) {
    segment::StateCopy copy = view.make_copy();
    if (auto read = view.snapshot(copy); !read) return tl::unexpected(read.error());
    auto definitions = view.definitions(copy);
    if (!definitions) return tl::unexpected(definitions.error());
    core::Rules rules;
    segment::compile_into(rules, definitions->current, definitions->previous);
    core::State& state = copy.state();
    core::Workspace workspace(view.capacity());
    // What is due by now counts as drawn, as the next commit will have it.
    now = core::advance_clock(state, now);
    core::settle(state, rules, now);
    const Scene scene{view, state, rules, workspace, now};

    Snapshot snapshot;
    snapshot.name = name;
    snapshot.version = copy.version();
    snapshot.now = now;
    fill_head(snapshot, view, state);
    const std::vector<segment::ClientInfo> clients = view.clients();
    for (std::uint16_t i = 0; i < state.head->limits_in_use; ++i) {
        snapshot.limits.push_back(limit_of(scene, i, definitions->current[i], clients));
    }
    const auto host = segment::host_identity();
    for (const auto& client : clients) {
        snapshot.clients.push_back(client_of(scene, client, host ? host->pid_namespace : 0));
    }
    for (const core::Entry& entry : state.entries()) {
        snapshot.reservations.push_back(
            reservation_of(scene, entry, clients, definitions->current));
    }
    snapshot.state = state_of(snapshot);
    return snapshot;
}

}  // namespace ratecoord::client
