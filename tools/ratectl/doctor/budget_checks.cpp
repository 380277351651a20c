// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ratectl/doctor/diagnosis.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::BudgetState;
using ratecoord::ErrorCode;
using ratecoord::LimitKind;
using ratecoord::Snapshot;

constexpr std::string_view stops_at_stake = "a ban or a halt would not outlive the budget";

std::optional<Finding> judge_state_directory(const BudgetFacts& budget) {
    const auto& recorded = budget.snapshot.state_directory;
    const auto& ours = budget.stops->directory;
    const auto bad = [](std::string seen, std::string next) {
        return attention("state directory", std::move(seen), std::string(stops_at_stake),
                         std::move(next));
    };
    if (recorded != ours) {
        return attention(
            "state directory",
            fmt::format("stops are saved in {}; you would save them in {}", recorded, ours),
            "processes of the same user and environment as you cannot attach",
            "set HOME and XDG_STATE_HOME as they were when the budget was created");
    }
    const auto& directory = budget.state_directory;
    const auto place = directory.path == ours
                           ? ours
                           : fmt::format("{}, where {} would be made", directory.path, ours);
    if (!directory.is_directory) {
        return bad(fmt::format("{} is not a directory", directory.path),
                   fmt::format("mv '{0}' '{0}.old'", directory.path));
    }
    if (directory.read_only) {
        return bad(fmt::format("the file system of {} is read-only", place),
                   fmt::format("mount -o remount,rw '{}'", directory.path));
    }
    if (!directory.writable) {
        return bad(fmt::format("you cannot write to {}", place),
                   fmt::format("ls -ld '{}' shows whose it is; give it to the user of the bots",
                               directory.path));
    }
    if (directory.free_bytes == 0 || directory.free_files == 0) {
        return bad("no room is left in " + place,
                   fmt::format("df -h '{}', then remove files", directory.path));
    }
    return std::nullopt;
}

// What stands in the calendar is full to the eighth that is kept for the critical lane.
void judge_calendar(const Snapshot& snapshot, std::vector<Finding>& findings) {
    const std::uint64_t room = snapshot.capacity.reservations;
    const std::uint64_t taken = snapshot.reservations.size();
    const auto seen = fmt::format("{} of {} reservations stand", taken, room);
    const auto next = fmt::format(
        "ratectl show {} shows what they wait for; send less, or create "
        "it anew with more --reservations",
        snapshot.name);
    if (taken * 8 >= room * 7) {
        findings.push_back(attention("calendar", seen,
                                     "requests that would have to wait are refused, but for the "
                                     "critical lane",
                                     next));
    } else if (taken * 4 >= room * 3) {
        findings.push_back(
            note("calendar", seen, "from seven eighths on, requests are refused", next));
    }
}

void judge_keys(const Snapshot& snapshot, std::vector<Finding>& findings) {
    std::set<std::pair<std::string, std::string>> keys;
    for (const auto& limit : snapshot.limits) {
        for (const auto& cell : limit.cells) {
            if (!cell.key.empty()) keys.emplace(limit.definition.per, cell.key);
        }
    }
    if (keys.size() * 10 < std::uint64_t{snapshot.capacity.keys} * 9) return;
    findings.push_back(
        note("keys", fmt::format("{} of {} keys are in use", keys.size(), snapshot.capacity.keys),
             "a new key takes the place of one that is idle; where none is, its requests are "
             "refused",
             "create it anew with more --keys"));
}

void judge_outside(const Snapshot& snapshot, std::vector<Finding>& findings) {
    for (const auto& limit : snapshot.limits) {
        for (const auto& cell : limit.cells) {
            if (cell.outside * 10 <= limit.definition.quota) continue;
            findings.push_back(note(
                "outside use",
                fmt::format("the venue counted {} of {} units of {}{} that no client here drew",
                            cell.outside, limit.definition.quota, limit.definition.name,
                            cell.key.empty() ? "" : " for " + cell.key),
                "somebody else uses this address or key, and leaves the clients here less",
                fmt::format("look for a bot without the budget; ratectl journal {} shows when",
                            snapshot.name)));
        }
    }
}

void judge_overtaken(const BudgetFacts& budget, std::vector<Finding>& findings) {
    const auto& counters = budget.snapshot.counters;
    const auto found = std::find_if(counters.begin(), counters.end(), [](const auto& each) {
        return each.first == "lock_takeovers";
    });
    if (found == counters.end() || found->second == 0) return;
    auto seen = fmt::format("the lock was taken over {} from a client that held it without moving",
                            format_counted(found->second, "time"));
    if (budget.overtaken_at) {
        seen +=
            fmt::format(", last {} ago{}{}", format_age(budget.snapshot.now - *budget.overtaken_at),
                        budget.overtaken.empty() ? "" : ": ", budget.overtaken);
    }
    findings.push_back(
        note("overtaken", std::move(seen),
             "nothing was lost, but others waited: the client was killed, stopped, or had no core",
             "where it grows: look for stopped clients above, and at the load of the host"));
}

// The state follows the clock at the next permit; a large step then counts the window twice.
void judge_utc(const BudgetFacts& budget, std::vector<Finding>& findings) {
    const auto off = std::llabs(budget.utc_offset_now - budget.snapshot.utc_offset);
    for (const auto& limit : budget.snapshot.limits) {
        if (limit.definition.kind != LimitKind::fixed) continue;
        if (off <= limit.definition.slack.count() / 2) continue;
        findings.push_back(
            note("utc",
                 fmt::format("the clock of this host was stepped by {} since the last permit",
                             format_left(off)),
                 "at the next one the window that runs counts what the last one used, too"));
        return;
    }
}

void judge_state(const Snapshot& snapshot, std::vector<Finding>& findings) {
    if (snapshot.halted) {
        findings.push_back(note(
            "halt", "it is halted", "requests that open are refused until a person says so",
            fmt::format("ratectl journal {0} says why; then ratectl unhalt {0}", snapshot.name)));
    }
    if (snapshot.state == BudgetState::banned) {
        findings.push_back(
            note("ban",
                 fmt::format(
                     "the venue has banned this host, for {} more",
                     format_left(
                         snapshot.pause_until[static_cast<std::size_t>(ratecoord::PauseKind::ban)] -
                         snapshot.now)),
                 "it ends by itself, with one request that goes first",
                 fmt::format("ratectl journal {} says why", snapshot.name)));
    }
    if (snapshot.shadow) {
        findings.push_back(note("shadow", "it counts, but holds nobody up",
                                "the limits are not kept; it was created so"));
    }
}

}  // namespace

void judge_stops(const BudgetFacts& budget, std::vector<Finding>& findings) {
    const auto& snapshot = budget.snapshot;
    const auto before = findings.size();
    if (!snapshot.stops_saved) {
        findings.push_back(attention("stops", "a pause or a halt is not on disk",
                                     std::string(stops_at_stake),
                                     fmt::format("ratectl doctor {} --sweep", snapshot.name)));
    }
    if (budget.stops) {
        const auto& stops = *budget.stops;
        if (!stops.problem.empty()) {
            findings.push_back(attention(
                "stops", "the saved stops cannot be read: " + stops.problem,
                "a budget that is created now starts halted, for the file may have held a halt",
                fmt::format("look into '{0}'; then: mv '{0}' '{0}.bad'", stops.path)));
        }
        if (!stops.set_aside.empty()) {
            findings.push_back(
                note("stops", "saved stops that could not be read were kept: " + stops.set_aside,
                     "the budget was halted for it, for they may have held a ban or a halt",
                     fmt::format("look into it; then: rm '{}'", stops.set_aside)));
        }
        if (auto finding = judge_state_directory(budget)) findings.push_back(*std::move(finding));
    }
    if (findings.size() == before) {
        findings.push_back(fine("stops", "pauses and halts are on disk"));
    }
}

void judge_use(const BudgetFacts& budget, std::vector<Finding>& findings) {
    judge_state(budget.snapshot, findings);
    judge_calendar(budget.snapshot, findings);
    judge_keys(budget.snapshot, findings);
    judge_outside(budget.snapshot, findings);
    judge_overtaken(budget, findings);
    judge_utc(budget, findings);
}

std::vector<Finding> diagnose_budget(const BudgetFacts& budget, const HostFacts& host) {
    std::vector<Finding> findings;
    judge_clients(budget, host, findings);
    judge_stops(budget, findings);
    judge_use(budget, findings);
    for (auto& finding : findings) finding.budget = budget.snapshot.name;
    return findings;
}

namespace {

struct Cure {
    std::string_view check;
    std::string_view why;
    std::string next;
};

Cure cure_of(const UnreadableBudget& budget) {
    switch (budget.error.code) {
        case ErrorCode::permission_denied:
            return {
                "permission", "whoever runs as you cannot use it, and is given no permit",
                budget.error.message.find("a segment has 0600 or 0660") != std::string::npos
                    ? fmt::format("chmod 0600 '{}'", budget.path)
                    : fmt::format("ls -l '{}' shows whose it is; run as that user", budget.path)};
        case ErrorCode::version_mismatch:
            return {"format", "no permit is given until it is made anew; saved stops are kept",
                    budget.error.hint.find("--unusable") == std::string::npos
                        ? budget.error.hint
                        : fmt::format("stop its clients, then: ratectl destroy {0} --unusable, "
                                      "and: ratectl create {0} ...",
                                      budget.name)};
        case ErrorCode::segment_corrupt:
            if (!budget.is_file) {
                return {"file", "no budget of this name can be created while it is in the way",
                        fmt::format("ls -ld '{0}' shows what it is; then: mv '{0}' '{0}.old'",
                                    budget.path)};
            }
            return {"file", "no permit is given from a file that is damaged or none of ours",
                    fmt::format("stop its clients, then: ratectl destroy {0} --unusable, and: "
                                "ratectl create {0} ...; saved stops are kept",
                                budget.name)};
        default:
            return {"file", "no permit is given from it",
                    budget.error.hint.empty()
                        ? fmt::format("look at it: stat '{}'; if nothing uses it: rm '{}'",
                                      budget.path, budget.path)
                        : budget.error.hint};
    }
}

}  // namespace

Finding diagnose_unreadable(const UnreadableBudget& budget) {
    const auto cure = cure_of(budget);
    auto finding =
        attention(std::string(cure.check), budget.error.message, std::string(cure.why), cure.next);
    finding.budget = budget.name;
    return finding;
}

}  // namespace ratectl
