// SPDX-License-Identifier: Apache-2.0
#include "ratectl/diagnosis.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "grammar/duration.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitKind;
using ratecoord::Snapshot;

Finding fine(std::string check, std::string text) {
    return {Grade::fine, std::move(check), "", std::move(text), ""};
}

Finding note(std::string check, std::string text) {
    return {Grade::note, std::move(check), "", std::move(text), ""};
}

Finding attention(std::string check, std::string text, std::string next) {
    return {Grade::attention, std::move(check), "", std::move(text), std::move(next)};
}

Finding judge_directory(const DirectoryFacts& directory) {
    const auto text = fmt::format("budgets live in {}, because {}", directory.path, directory.why);
    const auto bad = [&](std::string_view why, std::string next) {
        return attention("directory", fmt::format("{}; {}", text, why), std::move(next));
    };
    constexpr std::uint32_t others_write = 0002;
    constexpr std::uint32_t sticky = 01000;
    if (!directory.exists) {
        return bad("it does not exist", fmt::format("mkdir -m 0700 '{}'", directory.path));
    }
    if (!directory.is_directory) return bad("it is not a directory", "name another one");
    if (!directory.writable) {
        return bad("you cannot write there, so you cannot create budgets",
                   "run as its owner, or have the owner create them for your group");
    }
    if ((directory.mode & others_write) != 0 && (directory.mode & sticky) == 0) {
        return bad("everybody may remove files there",
                   fmt::format("chmod o-w '{}'", directory.path));
    }
    return fine("directory", text);
}

// What one more segment of the default size takes, where no budget says it.
constexpr std::uint64_t usual_segment_bytes = 18 * 1024 * 1024;

Finding judge_space(const DirectoryFacts& directory, const std::vector<Snapshot>& budgets) {
    std::uint64_t needed = budgets.empty() ? usual_segment_bytes : 0;
    for (const auto& budget : budgets) needed = std::max(needed, budget.capacity.bytes);
    const auto text = fmt::format("{} bytes are free in {}, one more budget takes {}",
                                  directory.free_bytes, directory.path, needed);
    if (directory.free_bytes >= needed) return fine("space", text);
    return attention("space", text,
                     fmt::format("remove what is not needed there: du -sh {}/*", directory.path));
}

std::optional<Finding> judge_remove_ipc(const HostFacts& facts) {
    constexpr std::uint32_t first_regular_uid = 1000;  // logind spares root and system users
    if (!facts.removes_ipc || !facts.directory.is_private) return std::nullopt;
    if (!*facts.removes_ipc) return fine("logout", "budgets stay when their user logs out");
    if (facts.uid < first_regular_uid) {
        return fine("logout", "budgets stay: logind spares those of system users");
    }
    return attention("logout",
                     "logind removes your budgets when you log out for the last time; bots that go "
                     "on running would part from those that start later",
                     "set RemoveIPC=no in /etc/systemd/logind.conf, or let root make "
                     "/run/ratecoord");
}

Finding judge_duplicate(const DuplicateBudget& duplicate) {
    std::string files;
    for (const auto& file : duplicate.files) files += (files.empty() ? "" : " and ") + file;
    auto finding = attention(
        "one place",
        fmt::format("there is more than one file for this budget: {}; processes that see "
                    "different ones do not share it",
                    files),
        "give all processes the same RATECOORD_DIR, then destroy the one that is not used");
    finding.budget = duplicate.name;
    return finding;
}

// How far our UTC may be off before a fixed window is missed: half the smallest slack.
std::optional<std::int64_t> clock_tolerance_ns(const std::vector<Snapshot>& budgets) {
    std::optional<std::int64_t> least;
    for (const auto& budget : budgets) {
        for (const auto& limit : budget.limits) {
            if (limit.definition.kind != LimitKind::fixed) continue;
            const auto half = limit.definition.slack.count() / 2;
            least = std::min(least.value_or(half), half);
        }
    }
    return least;
}

Finding judge_clock(const ClockFacts& clock, const std::vector<Snapshot>& budgets) {
    const auto tolerance = clock_tolerance_ns(budgets);
    if (!clock.known) return note("clock", "the kernel does not say whether it is synchronised");
    const std::string next = "chronyc tracking, or: timedatectl set-ntp true";
    if (!clock.synchronised) {
        const std::string text = "nothing keeps the clock of this host right";
        if (!tolerance) return note("clock", text + "; no limit here depends on it yet");
        return attention(
            "clock",
            fmt::format("{}; fixed windows need it within {}", text, format_left(*tolerance)),
            next);
    }
    const auto text = fmt::format("synchronised, within {}", format_left(clock.error_most_ns));
    if (!tolerance || clock.error_most_ns <= *tolerance) return fine("clock", text);
    return attention(
        "clock", fmt::format("{}; fixed windows need it within {}", text, format_left(*tolerance)),
        next + "; or give the limits more slack");
}

std::optional<Finding> judge_removed(const std::vector<pid_t>& holders) {
    if (holders.empty()) return std::nullopt;
    std::string pids;
    for (const auto pid : holders) pids += fmt::format(" {}", pid);
    return attention(
        "removed files",
        fmt::format(
            "{} on a budget whose file was removed:{}",
            holders.size() == 1 ? "1 process is" : fmt::format("{} processes are", holders.size()),
            pids),
        "they move over within a second or at their next request; restart those that "
        "stay");
}

}  // namespace

std::vector<Finding> diagnose_host(const HostFacts& facts, const std::vector<Snapshot>& budgets) {
    std::vector<Finding> findings{judge_directory(facts.directory)};
    if (facts.directory.is_directory) findings.push_back(judge_space(facts.directory, budgets));
    if (auto finding = judge_remove_ipc(facts)) findings.push_back(*std::move(finding));
    for (const auto& duplicate : facts.duplicates) findings.push_back(judge_duplicate(duplicate));
    if (auto finding = judge_removed(facts.holders_of_removed_files)) {
        findings.push_back(*std::move(finding));
    }
    findings.push_back(judge_clock(facts.clock, budgets));
    return findings;
}

namespace {

/// More than one reply in a hundred after its permit's end: the p99 exceeds the slack, and a
/// request may reach the venue in another window than it was charged to (G1).
void judge_replies(const Snapshot& snapshot, std::vector<Finding>& findings) {
    constexpr std::uint64_t enough = 100;
    for (const auto& client : snapshot.clients) {
        if (client.replies < enough || client.late_replies * 100 <= client.replies) continue;
        findings.push_back(attention(
            "replies",
            fmt::format("{} of {} replies to {} (pid {}) came later than their permits allow",
                        client.late_replies, client.replies, client.label, client.pid),
            fmt::format("give the limits more slack: 'ratectl set {} --limit ...,slack=1s'",
                        snapshot.name)));
    }
}

}  // namespace

std::vector<Finding> diagnose_budget(const Snapshot& snapshot) {
    std::vector<Finding> findings;
    std::uint64_t dead = 0;
    std::uint64_t left_behind = 0;
    for (const auto& client : snapshot.clients) {
        if (client.alive) continue;
        ++dead;
        left_behind += client.waiting;
    }
    const auto attached = static_cast<std::uint64_t>(snapshot.clients.size()) - dead;
    const auto sweep = fmt::format("ratectl doctor {} --sweep", snapshot.name);
    if (left_behind > 0) {
        findings.push_back(
            attention("clients",
                      fmt::format("{} that died left {} behind", format_counted(dead, "client"),
                                  format_counted(left_behind, "reservation")),
                      sweep));
    } else if (dead > 0) {
        auto finding = note(
            "clients", fmt::format("{} that died still {} a place; the next process "
                                   "that attaches takes it out",
                                   format_counted(dead, "client"), dead == 1 ? "has" : "have"));
        finding.next = sweep;
        findings.push_back(std::move(finding));
    } else if (attached >= snapshot.capacity.clients) {
        findings.push_back(attention("clients",
                                     fmt::format("all {} places are taken; the next process cannot "
                                                 "attach",
                                                 snapshot.capacity.clients),
                                     "stop some, or create it anew with more --clients"));
    } else {
        findings.push_back(fine("clients", fmt::format("{} of {} places are taken", attached,
                                                       snapshot.capacity.clients)));
    }
    if (snapshot.stops_saved) {
        findings.push_back(fine("stops", "pauses and halts are on disk"));
    } else {
        findings.push_back(attention(
            "stops", "a pause or a halt is not on disk; it would not outlive this budget", sweep));
    }
    if (snapshot.halted) {
        findings.push_back(attention("halt", "it is halted: nothing that opens is sent",
                                     fmt::format("ratectl unhalt {}", snapshot.name)));
    }
    if (snapshot.state == ratecoord::BudgetState::banned) {
        findings.push_back(note("ban", "the venue has banned this host; it ends by itself"));
    }
    judge_replies(snapshot, findings);
    if (snapshot.shadow) {
        findings.push_back(
            note("shadow", "it counts, but holds nobody up: the limits are not kept"));
    }
    for (auto& finding : findings) finding.budget = snapshot.name;
    return findings;
}

Finding diagnose_unreadable(const ratecoord::BudgetListing& listing) {
    auto finding =
        attention("file", fmt::format("it cannot be read: {}", listing.problem),
                  fmt::format("if it is damaged: stop its clients, then rm '{}'", listing.path));
    finding.budget = listing.name;
    return finding;
}

}  // namespace ratectl
