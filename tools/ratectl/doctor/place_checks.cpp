// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ratectl/doctor/diagnosis.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

// One file of a budget, and who uses it.
struct Copy {
    std::string path;
    std::optional<std::uint32_t> uid;
    bool is_here = false;  ///< found in a directory of ours
    bool elsewhere = false;
    std::vector<pid_t> holders;
};
using Copies = std::map<FileId, Copy>;

std::map<std::string, Copies> collect(const HostFacts& host) {
    std::map<std::string, Copies> budgets;
    for (const auto& file : host.files) {
        auto& copy = budgets[file.budget][file.id];
        copy.path = file.path;
        copy.uid = file.uid;
        copy.is_here = true;
    }
    for (const auto& held : host.held) {
        if (held.removed || held.budget.empty()) continue;
        auto& copy = budgets[held.budget][held.id];
        copy.holders.push_back(held.pid);
        if (copy.is_here) continue;
        copy.path = held.path;
        copy.uid = held.uid;
        copy.elsewhere = copy.elsewhere || held.elsewhere;
    }
    return budgets;
}

std::string name_process(pid_t pid, const HostFacts& host) {
    const auto found = host.processes.find(pid);
    return found == host.processes.end() ? fmt::format("pid {}", pid)
                                         : fmt::format("pid {} {}", pid, found->second.command);
}

std::string name_processes(const std::vector<pid_t>& pids, const HostFacts& host) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(pids.size(), most); ++i) {
        text += (i == 0 ? "" : ", ") + name_process(pids[i], host);
    }
    if (pids.size() > most) text += fmt::format(" and {} more", pids.size() - most);
    return text;
}

std::string describe(const Copy& copy, const HostFacts& host) {
    auto text = copy.path;
    if (copy.elsewhere) text += " of a container";
    return text + (copy.holders.empty()
                       ? std::string(" (used by nobody)")
                       : fmt::format(" (used by {})", name_processes(copy.holders, host)));
}

std::string describe(const Copies& copies, const HostFacts& host) {
    std::string text;
    for (const auto& [id, copy] : copies) {
        text += (text.empty() ? "" : "; ") + describe(copy, host);
    }
    return text;
}

// One file for each of several users, as /dev/shm has them.
bool is_one_each(const Copies& copies) {
    std::set<std::uint32_t> users;
    for (const auto& [id, copy] : copies) {
        if (copy.uid) users.insert(*copy.uid);
    }
    return users.size() == copies.size();
}

Finding judge_split(const std::string& name, const Copies& copies, const HostFacts& host) {
    const auto seen = fmt::format("there are {} files for this one budget: {}", copies.size(),
                                  describe(copies, host));
    const std::string why =
        "processes that use different ones do not share the budget, and together may send more "
        "than the venue allows";
    const bool in_container = std::any_of(copies.begin(), copies.end(),
                                          [](const auto& each) { return each.second.elsewhere; });
    Finding finding;
    if (in_container) {
        finding = attention("one place", seen, why,
                            "mount one host directory as /run/ratecoord into every container, or "
                            "run them with --ipc=host; give all processes the same RATECOORD_DIR; "
                            "then restart the bots");
    } else if (is_one_each(copies)) {
        finding = note("one place", seen, why + ", if they send from one address",
                       "let root make one directory for all: install -d -m 2770 -g GROUP "
                       "/run/ratecoord");
    } else {
        finding = attention(
            "one place", seen, why,
            fmt::format("give all processes the same RATECOORD_DIR, then remove the file that is "
                        "not used: RATECOORD_DIR=... ratectl destroy {}",
                        name));
    }
    finding.budget = name;
    return finding;
}

// Only processes know it, in a directory that is not ours.
Finding judge_elsewhere(const std::string& name, const Copy& copy, const HostFacts& host,
                        bool asked_for) {
    const auto directory = copy.path.substr(0, copy.path.rfind('/'));
    Finding finding;
    finding.grade = asked_for ? Grade::attention : Grade::note;
    finding.check = "directory";
    finding.budget = name;
    finding.seen = fmt::format("this budget is not in {}, but in {}", host.directory.path,
                               describe(copy, host));
    finding.why = "what starts with your settings makes a second one, and does not share it";
    finding.next = copy.elsewhere
                       ? fmt::format("nsenter -t {} -m ratectl show {}", copy.holders.front(), name)
                       : fmt::format("RATECOORD_DIR='{}' ratectl doctor {}", directory, name);
    return finding;
}

}  // namespace

std::vector<Finding> diagnose_places(const HostFacts& host, std::string_view only) {
    std::vector<Finding> findings;
    for (const auto& [name, copies] : collect(host)) {
        if (!only.empty() && name != only) continue;
        const auto& first = copies.begin()->second;
        if (copies.size() > 1) {
            findings.push_back(judge_split(name, copies, host));
        } else if (!first.is_here) {
            findings.push_back(judge_elsewhere(name, first, host, !only.empty()));
        }
    }
    std::vector<pid_t> holders;
    for (const auto& held : host.held) {
        if (!held.removed || (!only.empty() && held.budget != only)) continue;
        if (holders.empty() || holders.back() != held.pid) holders.push_back(held.pid);
    }
    if (holders.empty()) return findings;
    findings.push_back(attention(
        "removed files",
        fmt::format(
            "{} on a budget whose file was removed: {}",
            holders.size() == 1 ? "1 process is" : fmt::format("{} processes are", holders.size()),
            name_processes(holders, host)),
        "they do not share it with processes that start now; they move over within a second, or at "
        "their next request",
        "look again in a moment: ratectl doctor; restart those that stay"));
    return findings;
}

}  // namespace ratectl
