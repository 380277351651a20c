// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace coordinatord {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr double ns_per_second = 1e9;

/// The families in the order in which they were first named.
class Families {
  public:
    void add(MetricType type, const std::string& name, const char* help, Labels labels,
             double value) {
        auto family = std::find_if(all_.begin(), all_.end(),
                                   [&](const MetricFamily& known) { return known.name == name; });
        if (family == all_.end()) {
            family = all_.insert(all_.end(), MetricFamily{name, help, type, {}});
        }
        ClientMetric metric;
        metric.label = std::move(labels);
        if (type == MetricType::Counter) {
            metric.counter.value = value;
        } else {
            metric.gauge.value = value;
        }
        family->metric.push_back(std::move(metric));
    }
    void counter(const std::string& name, const char* help, Labels labels, std::uint64_t value) {
        add(MetricType::Counter, name, help, std::move(labels), static_cast<double>(value));
    }
    void gauge(const std::string& name, const char* help, Labels labels, double value) {
        add(MetricType::Gauge, name, help, std::move(labels), value);
    }
    void gauge(const std::string& name, const char* help, Labels labels, std::uint64_t value) {
        gauge(name, help, std::move(labels), static_cast<double>(value));
    }
    const std::vector<MetricFamily>& all() const noexcept { return all_; }

  private:
    std::vector<MetricFamily> all_;
};

void add_client(Families& out, const Labels& limit, const std::string& label, const Drawn& drawn) {
    Labels labels = limit;
    labels.push_back({"client", label});
    out.counter("ratecoord_units_granted_total",
                "Units that clients drew; clients beyond the fifty that are named are 'other'.",
                labels, drawn.units);
    out.counter("ratecoord_permits_granted_total",
                "Permits that drew from the limit; clients as in ratecoord_units_granted_total.",
                labels, drawn.permits);
}

// The keys of a limit are summed: their number is the venue's, not ours.
void add_limit(Families& out, const std::string& budget, const ratecoord::LimitSnapshot& limit,
               const LimitTotals& totals) {
    const Labels labels = {{"budget", budget}, {"limit", limit.definition.name}};
    for (const auto& [label, drawn] : totals.named) add_client(out, labels, label, drawn);
    add_client(out, labels, label_of_others, totals.other);
    out.counter("ratecoord_requests_refused_total", "Requests that the limit refused.", labels,
                totals.refused);
    std::uint64_t used = 0;
    std::uint64_t outside = 0;
    std::uint64_t waiting_units = 0;
    for (const auto& cell : limit.cells) {
        for (const auto& lane : cell.lanes) used += lane.used;
        outside += cell.outside;
        waiting_units += cell.waiting_units;
    }
    out.gauge("ratecoord_window_used_units",
              "Units used in the window that runs (buckets: owed), keys summed.", labels, used);
    out.gauge("ratecoord_limit_quota_units", "Units of the limit's quota, for each of its keys.",
              labels, static_cast<std::uint64_t>(limit.definition.quota));
    out.gauge("ratecoord_outside_use_units",
              "Units of the window that the venue counted and no client here drew.", labels,
              outside);
    out.gauge("ratecoord_waiting_units", "Units that reservations wait for, keys summed.", labels,
              waiting_units);
    out.gauge("ratecoord_limit_keys", "Keys of the limit that are in use; 1 if it has none.",
              labels, static_cast<std::uint64_t>(limit.cells.size()));
}

void add_stops(Families& out, const Labels& budget, const ratecoord::Snapshot& snapshot) {
    constexpr std::array kinds = {std::pair{ratecoord::PauseKind::cooldown, "cooldown"},
                                  std::pair{ratecoord::PauseKind::ban, "ban"},
                                  std::pair{ratecoord::PauseKind::manual, "manual"}};
    for (const auto& [kind, name] : kinds) {
        const auto until = snapshot.pause_until[static_cast<std::size_t>(kind)];
        Labels labels = budget;
        labels.push_back({"kind", name});
        const bool runs = until > snapshot.now;
        out.gauge(
            "ratecoord_pause_until_seconds", "When the pause ends, in UTC; 0 without one.", labels,
            runs ? std::floor(static_cast<double>(until + snapshot.utc_offset) / ns_per_second)
                 : 0.0);
        out.gauge("ratecoord_pause_remaining_seconds", "Until the pause ends; 0 without one.",
                  std::move(labels),
                  runs ? static_cast<double>(until - snapshot.now) / ns_per_second : 0.0);
    }
    out.gauge("ratecoord_halted", "1 while somebody has halted the budget.", budget,
              std::uint64_t{snapshot.halted});
    out.gauge("ratecoord_probe_required", "1 while one request has to show that a stop is over.",
              budget, std::uint64_t{snapshot.probe_required});
    out.gauge("ratecoord_strikes", "Stops in a row: the next one is the longer for them.", budget,
              std::uint64_t{snapshot.strikes});
    out.gauge("ratecoord_stops_saved", "1 if all pauses and halts are on disk.", budget,
              std::uint64_t{snapshot.stops_saved});
}

void add_clients(Families& out, const Labels& budget, const ratecoord::Snapshot& snapshot) {
    out.gauge("ratecoord_clients", "Clients that are attached.", budget,
              static_cast<std::uint64_t>(snapshot.clients.size()));
    out.gauge("ratecoord_clients_max", "Clients that the segment has room for.", budget,
              std::uint64_t{snapshot.capacity.clients});
    out.gauge("ratecoord_reservations", "Reservations in the calendar.", budget,
              static_cast<std::uint64_t>(snapshot.reservations.size()));
    out.gauge("ratecoord_reservations_max", "Reservations that the calendar has room for.", budget,
              std::uint64_t{snapshot.capacity.reservations});
    out.gauge("ratecoord_retry_units", "Units left for retries, host-wide.", budget,
              std::uint64_t{snapshot.retry_units});
}

void add_budget(Families& out, const std::string& name, const BudgetView& view,
                const BudgetTotals& totals) {
    const Labels budget = {{"budget", name}};
    for (const auto& limit : view.snapshot.limits) {
        add_limit(out, name, limit, totals.limits.at(limit.definition.name));
    }
    add_stops(out, budget, view.snapshot);
    add_clients(out, budget, view.snapshot);
    for (const auto& [counter, value] : view.snapshot.counters) {
        out.counter("ratecoord_" + counter + "_total", "Counted by the library, budget-wide.",
                    budget, value);
    }
    out.counter("ratecoord_journal_lost_total",
                "Journal entries that were overwritten before the daemon could read them.", budget,
                view.journal_lost);
}

}  // namespace

std::string Metrics::render(const Board& board) {
    totals_.note(board);
    Families out;
    out.gauge("ratecoord_build_info", "1; the daemon's version is the label.",
              {{"version", RATECOORD_VERSION}}, std::uint64_t{1});
    for (const auto& [name, view] : board.views()) {
        const bool is_up = view.has_snapshot && view.problem.empty();
        out.gauge("ratecoord_budget_up", "1 if the daemon sees the budget; else values are old.",
                  {{"budget", name}}, std::uint64_t{is_up});
        const BudgetTotals* totals = totals_.of(name);
        if (totals != nullptr) add_budget(out, name, view, *totals);
    }
    return prometheus::TextSerializer().Serialize(out.all());
}

}  // namespace coordinatord
