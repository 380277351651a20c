// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ratectl/doctor/diagnosis.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitKind;

Finding judge_directory(const HostFacts& host) {
    const auto& directory = host.directory;
    const auto seen = fmt::format("budgets live in {}, because {}", directory.path, directory.why);
    const auto bad = [&](std::string_view what, std::string why, std::string next) {
        return attention("directory", fmt::format("{}; {}", seen, what), std::move(why),
                         std::move(next));
    };
    constexpr std::uint32_t others_write = 0002;
    constexpr std::uint32_t sticky = 01000;
    if (!directory.path.starts_with('/')) {
        return bad("that is not an absolute path", "no process can use it",
                   "export RATECOORD_DIR=/run/ratecoord, or unset it");
    }
    if (!directory.exists) {
        return bad("it does not exist", "no budget can be created or attached",
                   fmt::format("mkdir -m 0700 '{}'", directory.path));
    }
    if (!directory.is_directory) {
        return bad("it is not a directory", "no budget can be created or attached",
                   "name a directory in RATECOORD_DIR, or unset it");
    }
    if (directory.file_system == FileSystem::network) {
        return bad("it is on a network file system",
                   "processes of two hosts would each see a memory of their own behind one name",
                   "name a directory of this host's memory, such as /run/ratecoord");
    }
    if (directory.read_only) {
        return bad("its file system is read-only", "nobody can attach or create a budget",
                   fmt::format("mount -o remount,rw '{}'", directory.path));
    }
    if (!directory.writable) {
        return bad("you cannot write there", "you cannot create budgets",
                   fmt::format("run as its owner (stat '{}' shows who), or have the owner create "
                               "budgets for a group that you are in",
                               directory.path));
    }
    if (!host.listing_problem.empty()) {
        return bad(host.listing_problem, "budgets there cannot be looked after",
                   fmt::format("ls -ld '{}' shows who may", directory.path));
    }
    if ((directory.mode & others_write) != 0 && (directory.mode & sticky) == 0) {
        return bad("everybody may remove files there",
                   "any user can take the budget away from under running bots",
                   fmt::format("chmod o-w '{}'", directory.path));
    }
    if (directory.file_system == FileSystem::other) {
        return note("directory", seen + "; it is not in memory",
                    "each permit dirties a page that the kernel then writes to disk, and after a "
                    "reboot the budget is made anew, cold",
                    "install -d -m 0700 /run/ratecoord, and unset RATECOORD_DIR");
    }
    return fine("directory", seen);
}

// What one more segment of the default size takes, where no budget says it.
constexpr std::uint64_t usual_segment_bytes = 18 * 1024 * 1024;

Finding judge_space(const DirectoryFacts& directory, const std::vector<BudgetFacts>& budgets) {
    std::uint64_t needed = budgets.empty() ? usual_segment_bytes : 0;
    for (const auto& budget : budgets) {
        needed = std::max(needed, budget.snapshot.capacity.bytes);
    }
    const auto seen = fmt::format("{} bytes are free in {}, one more budget takes {}",
                                  directory.free_bytes, directory.path, needed);
    const std::string why =
        "budgets that exist have their memory; none can be created, not even to replace one that "
        "was removed";
    if (directory.free_bytes < needed) {
        auto next = fmt::format("du -sh '{}'/* shows what to remove", directory.path);
        if (directory.file_system == FileSystem::memory) {
            next +=
                fmt::format("; or make it larger: mount -o remount,size=... '{}'", directory.path);
        }
        return attention("space", seen, why, std::move(next));
    }
    if (directory.free_files == 0) {
        return attention("space", fmt::format("no more file can be made in {}", directory.path),
                         why, fmt::format("df -i '{}', then remove files", directory.path));
    }
    return fine("space", seen);
}

std::optional<Finding> judge_logout(const HostFacts& host) {
    constexpr std::uint32_t first_regular_uid = 1000;  // logind spares root and system users
    // logind looks into the directories there, too.
    if (!host.removes_ipc || !host.directory.path.starts_with("/dev/shm")) return std::nullopt;
    if (!*host.removes_ipc) return fine("logout", "budgets stay when their user logs out");
    if (host.uid < first_regular_uid) {
        return fine("logout", "budgets stay: logind spares those of system users");
    }
    if (host.lingers) return fine("logout", "budgets stay: logind lets you linger");
    return attention("logout", "logind removes your budgets when you log out for the last time",
                     "bots that go on running would part from those that start later",
                     "set RemoveIPC=no in /etc/systemd/logind.conf and restart systemd-logind; or "
                     "loginctl enable-linger; or let root make /run/ratecoord");
}

std::optional<Finding> judge_container(const HostFacts& host) {
    if (!host.in_container || !host.directory.is_private) return std::nullopt;
    return note("container",
                "this is a container, and its budgets live in its own view of /dev/shm",
                "unless it is shared, bots outside have budgets of their own of the same name, and "
                "together they may send more than the venue allows; from in here it cannot be told",
                "mount one host directory as /run/ratecoord into every container, or run them with "
                "--ipc=host; 'ratectl doctor' as root on the host sees budgets that are split");
}

// How far our UTC may be off before a fixed window is missed: half the smallest slack.
std::optional<std::int64_t> clock_tolerance_ns(const std::vector<BudgetFacts>& budgets) {
    std::optional<std::int64_t> least;
    for (const auto& budget : budgets) {
        for (const auto& limit : budget.snapshot.limits) {
            if (limit.definition.kind != LimitKind::fixed) continue;
            const auto half = limit.definition.slack.count() / 2;
            least = std::min(least.value_or(half), half);
        }
    }
    return least;
}

Finding judge_clock(const HostFacts& host, const std::vector<BudgetFacts>& budgets) {
    const auto& clock = host.clock;
    const auto tolerance = clock_tolerance_ns(budgets);
    const auto why =
        tolerance
            ? fmt::format("fixed windows need it within {} of the venue's", format_left(*tolerance))
            : std::string("no limit here depends on it yet; those of kind fixed do");
    if (!clock.known) return note("clock", "the kernel does not say whether it is kept right", why);
    const std::string next = "chronyc tracking, or: timedatectl set-ntp true";
    if (!clock.synchronised) {
        if (!clock.keeper.empty()) {
            return note("clock",
                        fmt::format("{} runs, but has not told the kernel that the clock is right",
                                    clock.keeper),
                        why, "chronyc tracking, or: timedatectl timesync-status");
        }
        if (host.in_container) {
            return note("clock",
                        "the kernel says that nothing keeps the clock right; what runs outside "
                        "this container cannot be seen",
                        why, "on the host: " + next);
        }
        std::string seen = "nothing keeps the clock of this host right";
        if (!tolerance) return note("clock", std::move(seen), why, next);
        return attention("clock", std::move(seen), why, next);
    }
    auto seen = fmt::format("kept right, within {}", format_left(clock.error_most_ns));
    if (!tolerance || clock.error_most_ns <= *tolerance) return fine("clock", std::move(seen));
    return attention("clock", std::move(seen), why, next + "; or give the limits more slack");
}

}  // namespace

std::vector<Finding> diagnose_host(const HostFacts& host, const std::vector<BudgetFacts>& budgets) {
    std::vector<Finding> findings{judge_directory(host)};
    if (host.directory.is_directory) findings.push_back(judge_space(host.directory, budgets));
    if (auto finding = judge_logout(host)) findings.push_back(*std::move(finding));
    if (auto finding = judge_container(host)) findings.push_back(*std::move(finding));
    findings.push_back(judge_clock(host, budgets));
    return findings;
}

}  // namespace ratectl
