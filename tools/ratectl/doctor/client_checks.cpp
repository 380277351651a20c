// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ratectl/budget_access.hpp"
#include "ratectl/doctor/diagnosis.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::ClientSnapshot;
using ratecoord::Snapshot;

std::string sweep_command(const Snapshot& snapshot) {
    return fmt::format("ratectl doctor {} --sweep", snapshot.name);
}

void judge_places(const Snapshot& snapshot, std::uint64_t dead, std::uint64_t left_behind,
                  std::vector<Finding>& findings) {
    const auto attached = static_cast<std::uint64_t>(snapshot.clients.size()) - dead;
    const std::uint64_t places = snapshot.capacity.clients;
    const auto seen = fmt::format("{} of {} places are taken", attached, places);
    const std::string next =
        fmt::format("ratectl clients {} shows who has them; or create it anew with more --clients",
                    snapshot.name);
    if (left_behind > 0) {
        findings.push_back(attention(
            "clients",
            fmt::format("{} that died left {} behind", format_counted(dead, "client"),
                        format_counted(left_behind, "reservation")),
            "their units are kept from the others until somebody sweeps", sweep_command(snapshot)));
    } else if (dead > 0) {
        findings.push_back(
            note("clients",
                 fmt::format("{} that died still {} a place", format_counted(dead, "client"),
                             dead == 1 ? "has" : "have"),
                 "the next process that attaches takes it out", sweep_command(snapshot)));
    } else if (attached >= places) {
        findings.push_back(attention("clients", fmt::format("all {} places are taken", places),
                                     "the next process cannot attach, and sends nothing", next));
    } else if (attached * 10 >= places * 9) {
        findings.push_back(
            note("clients", seen, "when all are, the next process cannot attach", next));
    } else {
        findings.push_back(fine("clients", seen));
    }
}

struct Standing {
    std::string label;
    std::uint64_t waiting = 0;
};

// By pid of this host: what stopped processes keep from others.
std::map<pid_t, Standing> stopped_clients(const BudgetFacts& budget, const HostFacts& host) {
    std::map<pid_t, Standing> stopped;
    const auto is_stopped = [&](pid_t pid) {
        const auto found = host.processes.find(pid);
        return found != host.processes.end() && found->second.is_stopped();
    };
    for (const auto& held : host.held) {  // those in containers too, which have another pid there
        if (!held.removed && held.id == budget.file && is_stopped(held.pid)) {
            stopped[held.pid].label = host.processes.at(held.pid).command;
        }
    }
    for (const auto& client : budget.snapshot.clients) {
        if (!client.alive || !client.same_pid_namespace || !is_stopped(client.pid)) continue;
        auto& standing = stopped[client.pid];
        standing.label = client.label;
        standing.waiting += client.waiting;
    }
    return stopped;
}

void judge_stopped(const BudgetFacts& budget, const HostFacts& host,
                   std::vector<Finding>& findings) {
    for (const auto& [pid, standing] : stopped_clients(budget, host)) {
        const auto next = fmt::format("kill -CONT {}; or end it: kill -KILL {}", pid, pid);
        auto seen = fmt::format("{} (pid {}) is stopped", standing.label, pid);
        if (standing.waiting == 0) {
            findings.push_back(note("stopped client", std::move(seen),
                                    "it holds nobody up, and sends nothing", next));
            continue;
        }
        seen += fmt::format(" and holds {}", format_counted(standing.waiting, "reservation"));
        findings.push_back(attention("stopped client", std::move(seen),
                                     "their units are spent for nothing when their instants pass",
                                     next));
    }
}

// A place outlives its process only in a child that kept the descriptor.
void judge_orphaned(const BudgetFacts& budget, const HostFacts& host,
                    std::vector<Finding>& findings) {
    const auto may_see = [&](const ClientSnapshot& client) {
        return host.uid == 0 || client.uid == host.uid;  // hidepid= hides those of others
    };
    for (const auto& client : budget.snapshot.clients) {
        if (!client.alive || !client.same_pid_namespace || !may_see(client)) continue;
        const auto process = host.processes.find(client.pid);
        if (process != host.processes.end() && process->second.state != 'Z') continue;
        std::string holders;
        for (const auto& held : host.held) {
            if (held.id != budget.file) continue;
            const auto is_client = [&](const auto& each) { return each.pid == held.pid; };
            if (std::any_of(budget.snapshot.clients.begin(), budget.snapshot.clients.end(),
                            is_client)) {
                continue;
            }
            holders += fmt::format(" {}", held.pid);
        }
        findings.push_back(attention(
            "orphaned place",
            fmt::format("{} (pid {}) is gone, but its place is still held", client.label,
                        client.pid),
            "a child of it keeps the file open, so what it left cannot be swept",
            holders.empty() ? fmt::format("fuser -v '{}' shows who; end it", budget.snapshot.path)
                            : "end the child; it is one of:" + holders));
    }
}

void judge_replies(const Snapshot& snapshot, std::vector<Finding>& findings) {
    for (const auto& client : snapshot.clients) {
        if (!replies_come_late(client)) continue;
        findings.push_back(attention(
            "replies",
            fmt::format("{} of {} replies to {} (pid {}) came later than their permits allow",
                        client.late_replies, client.replies, client.label, client.pid),
            "such a request may reach the venue in another window than it was counted in",
            fmt::format("give the limits more slack: 'ratectl set {} --limit ...,slack=1s'",
                        snapshot.name)));
    }
}

}  // namespace

void judge_clients(const BudgetFacts& budget, const HostFacts& host,
                   std::vector<Finding>& findings) {
    std::uint64_t dead = 0;
    std::uint64_t left_behind = 0;
    for (const auto& client : budget.snapshot.clients) {
        if (client.alive) continue;
        ++dead;
        left_behind += client.waiting;
    }
    judge_places(budget.snapshot, dead, left_behind, findings);
    judge_stopped(budget, host, findings);
    judge_orphaned(budget, host, findings);
    judge_replies(budget.snapshot, findings);
}

}  // namespace ratectl
