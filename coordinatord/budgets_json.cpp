// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/budgets_json.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include <nlohmann/json.hpp>

namespace coordinatord {
namespace {

using Json = nlohmann::ordered_json;
using ratecoord::LimitKind;
using ratecoord::Snapshot;

enum class Depth { whole, newest };

constexpr std::int64_t ns_per_ms = 1'000'000;

Json instant(const Snapshot& snapshot, std::int64_t at) {
    if (at == 0) return nullptr;
    return (at + snapshot.utc_offset) / ns_per_ms;
}

/// Nothing for what is over.
Json ahead(const Snapshot& snapshot, std::int64_t at) {
    return at > snapshot.now ? instant(snapshot, at) : Json(nullptr);
}

std::string_view name_of(LimitKind kind) {
    return kind == LimitKind::bucket ? "bucket" : kind == LimitKind::fixed ? "fixed" : "rolling";
}

std::uint64_t used_in(const ratecoord::CellSnapshot& cell) {
    return std::accumulate(
        cell.lanes.begin(), cell.lanes.end(), std::uint64_t{0},
        [](std::uint64_t sum, const ratecoord::LaneSnapshot& lane) { return sum + lane.used; });
}

/// What `used` is measured against: the quota of a window, or a bucket that is full.
std::uint64_t most_of(const ratecoord::LimitSnapshot& limit, const ratecoord::CellSnapshot& cell) {
    if (limit.definition.kind == LimitKind::fixed) return limit.definition.quota;
    std::uint64_t most = 0;
    for (const auto& lane : cell.lanes) most = std::max(most, lane.most);
    return most;
}

/// What a bucket owes grows by all that it would have regained until a pause ends: more than full is full.
std::uint64_t shown_use(const ratecoord::LimitSnapshot& limit, std::uint64_t used,
                        std::uint64_t most) {
    return limit.definition.kind == LimitKind::fixed ? used : std::min(used, most);
}

Json cell_value(const Snapshot& snapshot, const ratecoord::LimitSnapshot& limit,
                const ratecoord::CellSnapshot& cell) {
    const std::uint64_t most = most_of(limit, cell);
    std::int64_t next_in_ns = 0;
    std::uint64_t available = 0;
    if (!cell.lanes.empty()) {
        next_in_ns = cell.lanes.front().next_in_ns;
        available = cell.lanes.front().available;
    }
    return {{"key", cell.key},
            {"used", shown_use(limit, used_in(cell), most)},
            {"most", most},
            {"available", available},
            {"outside", cell.outside},
            {"waiting", cell.waiting},
            {"waiting_units", cell.waiting_units},
            {"next_in_ms", next_in_ns / ns_per_ms},
            {"paused_until_ms", ahead(snapshot, cell.paused_until)},
            {"opens_at_ms", ahead(snapshot, cell.opens_at)},
            {"unverified", cell.unverified}};
}

Json limit_value(const Snapshot& snapshot, const ratecoord::LimitSnapshot& limit) {
    std::vector<const ratecoord::CellSnapshot*> cells;
    for (const auto& cell : limit.cells) cells.push_back(&cell);
    std::stable_sort(cells.begin(), cells.end(), [](const auto* left, const auto* right) {
        return used_in(*left) > used_in(*right);
    });
    Json shown = Json::array();
    for (std::size_t i = 0; i < std::min(cells.size(), most_cells); ++i) {
        shown.push_back(cell_value(snapshot, limit, *cells[i]));
    }
    Json drawn = Json::array();
    for (const auto& client : limit.drawn_by) {
        if (drawn.size() == most_drawn) break;
        drawn.push_back({{"label", client.label},
                         {"pid", client.pid},
                         {"permits", client.permits},
                         {"units", client.units}});
    }
    const auto& definition = limit.definition;
    return {
        {"limit", definition.name},
        {"kind", name_of(definition.kind)},
        {"quota", definition.quota},
        {"window_ms", definition.window.count() / ns_per_ms},
        {"per", definition.per},
        {"granted_units", limit.granted_units},
        {"refused", limit.refused},
        {"cells", std::move(shown)},
        {"cells_left_out", cells.size() - std::min(cells.size(), most_cells)},
        {"drawn_by", std::move(drawn)},
        {"drawn_by_left_out", limit.drawn_by.size() - std::min(limit.drawn_by.size(), most_drawn)}};
}

Json pauses_value(const Snapshot& snapshot) {
    Json pauses = Json::array();
    const auto add = [&](std::string_view kind, ratecoord::PauseKind which) {
        const auto until = snapshot.pause_until.at(static_cast<std::size_t>(which));
        if (until <= snapshot.now) return;
        pauses.push_back({{"kind", kind}, {"until_ms", instant(snapshot, until)}});
    };
    add("ban", ratecoord::PauseKind::ban);
    add("cooldown", ratecoord::PauseKind::cooldown);
    add("manual", ratecoord::PauseKind::manual);
    return pauses;
}

Json clients_value(const Snapshot& snapshot) {
    Json clients = Json::array();
    std::vector<const ratecoord::ClientSnapshot*> order;
    for (const auto& client : snapshot.clients) order.push_back(&client);
    std::stable_sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
        return left->granted > right->granted;
    });
    order.resize(std::min(order.size(), most_clients));
    for (const auto* client : order) {
        clients.push_back({{"label", client->label},
                           {"pid", client->pid},
                           {"alive", client->alive},
                           {"attached_at_ms", instant(snapshot, client->attached_at)},
                           {"granted", client->granted},
                           {"refused", client->refused},
                           {"waited", client->waited},
                           {"waiting", client->waiting},
                           {"late_replies", client->late_replies}});
    }
    return clients;
}

/// `most` caps what is shown; see shown_use.
Json point(const Sample& sample, std::uint64_t most) {
    return {sample.at_utc_ns / ns_per_ms, std::min(sample.used, most), sample.outside,
            sample.waiting};
}

Json points(const std::deque<Sample>& samples, std::uint64_t most, Depth depth) {
    Json result = Json::array();
    if (samples.empty()) return result;
    if (depth == Depth::newest) {
        result.push_back(point(samples.back(), most));
        return result;
    }
    const std::size_t group = (samples.size() + most_points - 1) / most_points;
    for (std::size_t i = 0; i < samples.size(); i += group) {
        const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end =
            samples.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, samples.size()));
        const auto highest = std::max_element(
            begin, end,
            [](const Sample& left, const Sample& right) { return left.used < right.used; });
        result.push_back(point(*highest, most));
    }
    return result;
}

std::uint64_t most_shown(const Snapshot& snapshot, const History& history) {
    constexpr auto no_cap = std::numeric_limits<std::uint64_t>::max();
    for (const auto& limit : snapshot.limits) {
        if (limit.definition.name != history.limit) continue;
        if (limit.definition.kind == LimitKind::fixed) return no_cap;
        for (const auto& cell : limit.cells) {
            if (cell.key == history.key) return most_of(limit, cell);
        }
    }
    return no_cap;
}

Json histories_value(const BudgetView& view, Depth depth) {
    std::vector<const History*> order;
    for (const auto& history : view.histories) order.push_back(&history);
    const auto used_now = [](const History* history) {
        return history->samples.empty() ? 0 : history->samples.back().used;
    };
    std::stable_sort(order.begin(), order.end(), [&](const auto* left, const auto* right) {
        // A limit without keys has its plot, however many keys the others have.
        if (left->key.empty() != right->key.empty()) return left->key.empty();
        return used_now(left) > used_now(right);
    });
    order.resize(std::min(order.size(), most_histories));
    Json histories = Json::array();
    for (const auto* history : order) {
        histories.push_back(
            {{"limit", history->limit},
             {"key", history->key},
             {"samples", points(history->samples, most_shown(view.snapshot, *history), depth)}});
    }
    return histories;
}

Json journal_value(const BudgetView& view) {
    Json journal = Json::array();
    for (auto entry = view.journal.rbegin(); entry != view.journal.rend(); ++entry) {
        journal.push_back({{"sequence", entry->sequence},
                           {"at_ms", instant(view.snapshot, entry->at)},
                           {"kind", entry->kind},
                           {"label", entry->label},
                           {"text", entry->text}});
    }
    return journal;
}

Json budget_value(const std::string& name, const BudgetView& view, Depth depth) {
    Json value{{"name", name}, {"problem", view.problem}, {"seen", view.has_snapshot}};
    if (!view.has_snapshot) return value;
    const Snapshot& snapshot = view.snapshot;
    value["state"] = ratecoord::name_of(snapshot.state);
    value["now_ms"] = instant(snapshot, snapshot.now);
    value["halted"] = snapshot.halted;
    value["shadow"] = snapshot.shadow;
    value["pauses"] = pauses_value(snapshot);
    value["probe_required"] = snapshot.probe_required;
    value["cold_until_ms"] = ahead(snapshot, snapshot.cold_until);
    value["strikes"] = snapshot.strikes;
    value["stops_saved"] = snapshot.stops_saved;
    value["reservations"] = snapshot.reservations.size();
    value["limits"] = Json::array();
    for (const auto& limit : snapshot.limits) {
        value["limits"].push_back(limit_value(snapshot, limit));
    }
    value["clients"] = clients_value(snapshot);
    value["clients_left_out"] =
        snapshot.clients.size() - std::min(snapshot.clients.size(), most_clients);
    value["journal"] = journal_value(view);
    value["journal_lost"] = view.journal_lost;
    value["history"] = histories_value(view, depth);
    return value;
}

std::string render(const Board& board, Depth depth) {
    Json value{{"revision", board.revision()}, {"budgets", Json::array()}};
    for (const auto& [name, view] : board.views()) {
        value["budgets"].push_back(budget_value(name, view, depth));
    }
    // Labels are whatever a bot wrote: bytes that are no UTF-8 are replaced.
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_budgets(const Board& board) {
    return render(board, Depth::whole);
}

std::string render_update(const Board& board) {
    return render(board, Depth::newest);
}

}  // namespace coordinatord
