// SPDX-License-Identifier: Apache-2.0
//
// Files that are no budget, or no longer one: refused in one line, and not one byte of them
// changed.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include <ratecoord/budget.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr uid_t other_uid = 65534;

void write_file(const std::string& path, const std::string& bytes, mode_t mode = 0600) {
    std::ofstream(path, std::ios::binary) << bytes;
    REQUIRE(::chmod(path.c_str(), mode) == 0);
}

// The bytes of a healthy budget.
std::string healthy_bytes() {
    const ScratchDirectory directory;
    REQUIRE(
        run_ratectl({"create", "b", "--limit", "w=5/1s", "--clients", "4", "--reservations", "8"})
            .exit == 0);
    return file_text(directory.path() + "/b.budget");
}

const std::vector<std::vector<std::string>>& commands() {
    static const std::vector<std::vector<std::string>> table{
        {"show", "b"},
        {"clients", "b"},
        {"journal", "b"},
        {"acquire", "b", "w=1", "--timeout", "0s"},
        {"pause", "b", "--for", "1m"},
        {"resume", "b"},
        {"reset", "b", "--ignore-ban"},
        {"halt", "b"},
        {"set", "b", "--limit", "w=4/1s"},
        {"destroy", "b"},
    };
    return table;
}

// Every command refuses the budget `b` with that exit code and leaves its file alone.
void check_refused(const std::string& path, const std::string& what, int exit) {
    const auto before = file_text(path);
    for (const auto& command : commands()) {
        const auto ran = run_ratectl(command);
        INFO(what << ": " << command.front() << ": " << ran.narration);
        CHECK(ran.exit == exit);
        CHECK(ran.results.empty());
        CHECK_THAT(ran.narration, Catch::StartsWith("ratectl: cannot "));
        CHECK(std::count(ran.narration.begin(), ran.narration.end(), '\n') <= 2);
        CHECK(file_text(path) == before);
    }
}

struct Damage {
    const char* what;
    std::function<std::string(std::string)> apply;
};

std::string random_bytes(std::size_t count) {
    std::mt19937 generator(20'270'302);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(generator() & 0xffU);
    return bytes;
}

}  // namespace

TEST_CASE("C03: a file that is too short is refused, whatever is asked of it") {
    const auto bytes = healthy_bytes();
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4095}, bytes.size() / 2, bytes.size() - 1}) {
        const ScratchDirectory directory;
        const auto path = directory.path() + "/b.budget";
        write_file(path, bytes.substr(0, size));
        check_refused(path, std::to_string(size) + " bytes", 1);
    }
}

TEST_CASE("a file that cannot be attached is removed where the operator says so") {
    const ScratchDirectory directory;
    const auto path = directory.path() + "/b.budget";
    write_file(path, random_bytes(5000));
    CHECK(run_ratectl({"destroy", "b", "--unusable", "--dry-run"}).exit == 0);
    CHECK(std::filesystem::exists(path));
    const auto ran = run_ratectl({"destroy", "b", "--unusable"});
    INFO(ran.narration);
    CHECK(ran.exit == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(run_ratectl({"destroy", "b", "--unusable"}).exit == 3);
    // What is no file is never removed.
    std::filesystem::create_symlink("/etc/hostname", path);
    CHECK(run_ratectl({"destroy", "b", "--unusable"}).exit == 6);
    CHECK(std::filesystem::is_symlink(path));
}

TEST_CASE("C22: another format, another machine's bytes and noise are refused") {
    const auto bytes = healthy_bytes();
    constexpr std::size_t version_at = 8;  // behind the magic, docs/segment-format.md
    const Damage table[] = {
        {"wrong magic", [](std::string b) { return b[0] = 'R', b; }},
        {"next version", [](std::string b) { return ++b[version_at], b; }},
        {"version before", [](std::string b) { return --b[version_at], b; }},
        {"bytes swapped",
         [](std::string b) {
             for (std::size_t i = 0; i + 8 <= b.size() && i < 4096; i += 8) {
                 std::reverse(b.begin() + static_cast<std::ptrdiff_t>(i),
                              b.begin() + static_cast<std::ptrdiff_t>(i + 8));
             }
             return b;
         }},
        {"longer than it says", [](std::string b) { return b + std::string(4096, '\0'); }},
        {"all zero", [](std::string b) { return std::string(b.size(), '\0'); }},
        {"all ones", [](std::string b) { return std::string(b.size(), '\xff'); }},
        {"noise of its size", [](std::string b) { return random_bytes(b.size()); }},
        {"noise of a page", [](std::string) { return random_bytes(4096); }},
        {"a text", [](std::string) { return std::string("not a budget\n"); }},
    };
    for (const auto& damage : table) {
        const ScratchDirectory directory;
        const auto path = directory.path() + "/b.budget";
        write_file(path, damage.apply(bytes));
        check_refused(path, damage.what, 1);
    }
}

TEST_CASE("C11: what is not a file of ours is refused at once, with its name") {
    const ScratchDirectory directory;
    const auto path = directory.path() + "/b.budget";
    const auto check = [&](const std::string& what, int exit) {
        for (const auto& command : commands()) {
            const auto ran = run_ratectl(command);
            INFO(what << ": " << command.front() << ": " << ran.narration);
            CHECK(ran.exit == exit);
            CHECK_THAT(ran.narration, Catch::Contains(path));
        }
        CHECK(run_ratectl({"create", "b", "--limit", "w=1/1s"}).exit != 0);
        std::filesystem::remove_all(path);
    };
    std::filesystem::create_directory(path);
    check("a directory", 1);
    std::filesystem::create_symlink("/nowhere/at/all", path);
    check("a dangling link", 1);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    check("a pipe", 1);
}

TEST_CASE("C11: another user's budget is a matter of permission") {
    if (::geteuid() != 0) return;  // only root can be two users
    const ScratchDirectory directory;
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    REQUIRE(run_ratectl({"create", "b", "--limit", "w=5/1s"}).exit == 0);
    const auto path = directory.path() + "/b.budget";
    const auto before = file_text(path);
    for (const auto& command : commands()) {
        const auto ran = run_ratectl(command, {.uid = other_uid});
        INFO(command.front() << ": " << ran.narration);
        CHECK(ran.exit == 5);
        CHECK_THAT(ran.narration, Catch::Contains(path));
    }
    CHECK(file_text(path) == before);
    const auto listed = run_ratectl({"list"}, {.uid = other_uid});
    CHECK(listed.exit == 1);
    CHECK_THAT(listed.results, Catch::Contains("unreadable"));
}

TEST_CASE("C25: creating again changes neither the size nor the limits of a live budget") {
    const ScratchDirectory directory;
    REQUIRE(
        run_ratectl({"create", "b", "--limit", "w=1000/30d", "--clients", "64", "--full"}).exit ==
        0);
    auto client = Budget::attach("b", {.label = "bot"}).value();
    const auto cost = client.cost({{"w", 1}}).value();
    const auto path = directory.path() + "/b.budget";
    const auto size = std::filesystem::file_size(path);
    for (const char* clients : {"8", "128", "64"}) {
        const auto ran =
            run_ratectl({"create", "b", "--limit", "w=500/30d", "--clients", clients, "--full"});
        CHECK(ran.exit == 6);
        CHECK_THAT(ran.narration, Catch::Contains("w=1000/30d"));
        CHECK_THAT(ran.narration, Catch::Contains("w=500/30d"));
        CHECK(std::filesystem::file_size(path) == size);
        CHECK(client.try_acquire(cost).value().granted());
    }
}

TEST_CASE("list goes on where one budget is damaged, and says so") {
    const ScratchDirectory directory;
    REQUIRE(run_ratectl({"create", "healthy", "--limit", "w=5/30d", "--full"}).exit == 0);
    write_file(directory.path() + "/damaged.budget", "noise");
    const auto ran = run_ratectl({"list"});
    CHECK(ran.exit == 1);
    CHECK_THAT(ran.results, Catch::Contains("damaged/-"));
    CHECK_THAT(ran.results, Catch::Contains("healthy/w"));
    CHECK_THAT(ran.narration, Catch::Contains("cannot read 'damaged'"));
    const auto halted = run_ratectl({"halt", "--all"});
    CHECK(halted.exit == 1);
    CHECK_THAT(halted.results, Catch::Contains("healthy: halted"));
}
