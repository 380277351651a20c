// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "fast_path.hpp"

namespace bench {
namespace {

constexpr const char* first_marker = "/ratecoord-bench-begins";
constexpr const char* last_marker = "/ratecoord-bench-ends";
// A twentieth of a second or so: the checks that are made once a second are not due.
constexpr int tries = 200'000;

/// Lines of a trace between the markers, unless one is missing.
std::optional<int> count_between(const std::string& path) {
    std::ifstream trace(path);
    std::optional<int> count;
    for (std::string line; std::getline(trace, line);) {
        if (line.find(last_marker) != std::string::npos) return count;
        if (count) ++*count;
        if (line.find(first_marker) != std::string::npos) count = 0;
    }
    return std::nullopt;
}

}  // namespace

int try_between_markers(const std::string& name) {
    auto budget = must(ratecoord::Budget::attach(name));
    const auto cost = roomy_cost(budget, 3);
    const auto take = [&](int times) {
        for (int i = 0; i < times; ++i) {
            if (!must(budget.try_acquire(cost)).granted()) give_up("refused");
        }
    };
    take(1);
    // They fail, and that is all that strace needs.
    [[maybe_unused]] int ignored = ::access(first_marker, F_OK);
    take(tries);
    ignored = ::access(last_marker, F_OK);
    return 0;
}

void count_system_calls(Stage& stage, Verdicts& verdicts) {
    const std::string what = "system calls by " + std::to_string(tries) + " try_acquire, 3 limits";
    const auto name = stage.fresh_name();
    const auto budget = create(name, roomy_limits(3));
    const auto trace = stage.directory() + "/trace";
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto command = "strace -f -o '" + trace + "' '" + self + "' --between-markers " + name;
    const int status = std::system(command.c_str());
    const auto count = count_between(trace);
    if (status != 0 || !count) {
        verdicts.add_failure(what, "strace did not run");
        return;
    }
    verdicts.add(what, *count, "", Bar::at_most(0));
}

}  // namespace bench
