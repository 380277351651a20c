// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <time.h>

#include <filesystem>

#include "ratectl/doctor/gather.hpp"

namespace ratectl {

namespace {

constexpr std::size_t journal_depth = 256;

std::int64_t nanoseconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Bracketed, so that being interrupted between the two clocks does not count as a difference.
std::int64_t utc_offset() {
    const auto before = nanoseconds(CLOCK_BOOTTIME);
    const auto utc = nanoseconds(CLOCK_REALTIME);
    const auto after = nanoseconds(CLOCK_BOOTTIME);
    return utc - (before + (after - before) / 2);
}

// The directory, or what it would be made in.
DirectoryFacts nearest_directory(const std::string& path) {
    std::filesystem::path at(path);
    auto facts = look_at_directory(at.string());
    while (!facts.exists && at.has_relative_path()) {
        at = at.parent_path();
        facts = look_at_directory(at.string());
    }
    return facts;
}

void read_overtaken(BudgetFacts& facts) {
    const auto journal = ratecoord::read_journal(facts.snapshot.name, journal_depth);
    if (!journal) return;
    for (const auto& entry : *journal) {
        if (entry.kind != "lock_takeover") continue;
        facts.overtaken_at = entry.at;
        facts.overtaken = entry.text;
    }
}

}  // namespace

BudgetFacts gather_budget_facts(ratecoord::Snapshot snapshot) {
    BudgetFacts facts;
    facts.snapshot = std::move(snapshot);
    facts.utc_offset_now = utc_offset();
    struct stat status {};
    if (::stat(facts.snapshot.path.c_str(), &status) == 0) {
        facts.file = {status.st_dev, status.st_ino};
    }
    if (auto stops = ratecoord::read_saved_stops(facts.snapshot.name)) {
        facts.stops = *std::move(stops);
        facts.state_directory = nearest_directory(facts.stops->directory);
    }
    read_overtaken(facts);
    return facts;
}

}  // namespace ratectl
