// SPDX-License-Identifier: Apache-2.0
//
// Hooks that are programs: real shells, in a directory of the test's own. Outcomes are waited for
// through Hooks::settle, whose patience bounds a test that fails.
#include "coordinatord/hooks.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace coordinatord;
using namespace std::chrono_literals;
using ratecoord::testing::ScratchDirectory;

namespace {

constexpr auto patience = 60s;

HookConfig shell(const std::string& name, const std::string& script,
                 std::chrono::nanoseconds timeout = 30s) {
    HookConfig hook;
    hook.name = name;
    hook.command = {"/bin/sh", "-c", script};
    hook.timeout = timeout;
    return hook;
}

Event event(const std::string& text = "stopped for 2 minutes") {
    return {"ban", "binance", "bot-7", text, 1'700'000'000'123'456'789};
}

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::vector<nlohmann::json> payloads(const std::string& path) {
    std::vector<nlohmann::json> all;
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
}

/// A signal is on its way when kill() returns: waits for the end, which a zombie has behind it.
bool has_ended(pid_t pid) {
    // glibc 2.36 declares pidfd_open() for C only.
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (fd < 0) return errno == ESRCH;
    pollfd waiting{fd, POLLIN, 0};
    const auto most = std::chrono::milliseconds(patience).count();
    const bool ended = ::poll(&waiting, 1, static_cast<int>(most)) == 1;
    ::close(fd);
    return ended;
}

/// A pipe in the file system that holds a hook until the test lets it go.
class Gate {
  public:
    explicit Gate(std::string path) : path_(std::move(path)) {
        REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
    }
    void open() const { std::ofstream(path_) << "go\n"; }
    std::string wait() const { return "read go <" + path_ + ";"; }

  private:
    std::string path_;
};

}  // namespace

TEST_CASE("a hook's program gets the event as one line of JSON on stdin") {
    const ScratchDirectory scratch;
    const auto file = scratch.path() + "/said";
    Hooks hooks({shell("say", "cat >>" + file)});
    hooks.post(event("with \"quotes\", \n and \xff"));
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done == 1);
    const auto said = payloads(file);
    REQUIRE(said.size() == 1);
    CHECK(said[0]["schema"] == 1);
    CHECK(said[0]["event"] == "ban");
    CHECK(said[0]["budget"] == "binance");
    CHECK(said[0]["client"] == "bot-7");
    CHECK(said[0]["text"] == "with \"quotes\", \n and \xef\xbf\xbd");
    CHECK(said[0]["at"] == "2023-11-14T22:13:20Z");
    CHECK(said[0]["at_ns"] == 1'700'000'000'123'456'789);
    CHECK(said[0]["suppressed"] == 0);
    CHECK_FALSE(said[0]["host"].get<std::string>().empty());
}

TEST_CASE("a hook's program inherits no descriptor and nothing of our environment") {
    const ScratchDirectory scratch;
    const auto file = scratch.path() + "/said";
    const int open_one = ::dup(STDERR_FILENO);  // without close-on-exec
    REQUIRE(open_one > STDERR_FILENO);
    Hooks hooks(
        {shell("look", "for f in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$f ] && echo fd $f; done >" +
                           file + "; env >>" + file)});
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    ::close(open_one);
    const auto said = read(file);
    CHECK(said.find("fd ") == std::string::npos);
    CHECK(said.find("RATECOORD_BUDGET=binance\n") != std::string::npos);
    CHECK(said.find("RATECOORD_EVENT=ban\n") != std::string::npos);
    CHECK(said.find("RATECOORD_DIR=") == std::string::npos);
    CHECK(said.find("HOME=") == std::string::npos);
}

TEST_CASE("only the kinds and budgets that a hook names reach it") {
    const ScratchDirectory scratch;
    const auto file = scratch.path() + "/said";
    auto hook = shell("say", "cat >>" + file);
    hook.on = {"halted", "clock_unsynchronised"};
    hook.budgets = {"okx"};
    Hooks hooks({hook});
    hooks.post(event());
    hooks.post({"halted", "binance", {}, {}, 1});
    hooks.post({"halted", "okx", {}, {}, 2});
    hooks.post({"clock_unsynchronised", {}, {}, {}, 3});
    REQUIRE(hooks.settle(patience));
    const auto said = payloads(file);
    REQUIRE(said.size() == 2);
    CHECK(said[0]["at_ns"] == 2);
    CHECK(said[1]["at_ns"] == 3);
}

TEST_CASE("a program that hangs is ended when its time is over") {
    Hooks hooks({shell("hang", "exec tail -f /dev/null", 100ms)});
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().timed_out == 1);
}

TEST_CASE("a program that ignores SIGTERM is killed, with its children") {
    const ScratchDirectory scratch;
    const auto file = scratch.path() + "/pid";
    Hooks hooks(
        {shell("deaf", "trap '' TERM; tail -f /dev/null & echo $! >" + file + "; wait; wait", 1s)});
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().timed_out == 1);
    const auto child = std::stoi(read(file));
    CHECK(has_ended(child));
}

TEST_CASE("a program that is missing or fails is counted, and the next event is told") {
    HookConfig missing;
    missing.name = "missing";
    missing.command = {"/nonexistent/program"};
    Hooks hooks({missing, shell("fails", "cat >/dev/null; echo why >&2; exit 3"),
                 shell("works", "cat >/dev/null")});
    hooks.post(event());
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().failed == 4);
    CHECK(hooks.counts().done == 2);
}

TEST_CASE("a program that does not read its stdin does no harm") {
    Hooks hooks({shell("closes", "exec <&-"), shell("ignores", "exit 0")});
    hooks.post(event(std::string(1'000'000, 'x')));
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done == 2);
}

TEST_CASE("a program that says more than is kept is not kept waiting") {
    Hooks hooks({shell("talks", "cat >/dev/null; head -c 1000000 /dev/zero")});
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done == 1);
}

TEST_CASE("what is beyond a hook's pace is counted and told with the next event that goes") {
    const ScratchDirectory scratch;
    const auto file = scratch.path() + "/said";
    auto hook = shell("say", "cat >>" + file);
    hook.most = 2;
    hook.window = 24h;
    Hooks hooks({hook});
    for (int i = 0; i < 5; ++i) hooks.post(event());
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done == 2);
    CHECK(hooks.counts().suppressed == 3);
    hook.most = 4;
    hooks.replace({hook});
    hooks.post(event());
    hooks.post(event());
    REQUIRE(hooks.settle(patience));
    const auto said = payloads(file);
    REQUIRE(said.size() == 4);
    CHECK(said[2]["suppressed"] == 3);
    CHECK(said[3]["suppressed"] == 0);
}

TEST_CASE("a pace begins again with the next window") {
    HookConfig hook;
    hook.most = 1;
    hook.window = 1min;
    HookPace pace;
    const HookPace::Instant start{};
    CHECK(pace.pass(hook, start) == 0u);
    CHECK_FALSE(pace.pass(hook, start + 1s));
    CHECK_FALSE(pace.pass(hook, start + 1min - 1ns));
    CHECK(pace.pass(hook, start + 1min) == 2u);
}

TEST_CASE("beyond its queue, events are counted and dropped, and nobody waits") {
    const ScratchDirectory scratch;
    const Gate gate(scratch.path() + "/gate");
    const auto file = scratch.path() + "/said";
    auto hook = shell(
        "slow", "[ -e " + file + " ] || { touch " + file + ";" + gate.wait() + " }; cat >>" + file);
    hook.most = 10'000;
    Hooks hooks({hook});
    // The first one is taken from the queue sooner or later; it then waits at the gate.
    for (std::size_t i = 0; i < Hooks::queue_max + 11; ++i) hooks.post(event());
    const auto overflowed = hooks.counts().overflowed;
    CHECK((overflowed == 10 || overflowed == 11));
    gate.open();
    REQUIRE(hooks.settle(patience));
    CHECK(hooks.counts().done + overflowed == Hooks::queue_max + 11);
}

TEST_CASE("hooks that are replaced while one runs serve the next event") {
    const ScratchDirectory scratch;
    const Gate gate(scratch.path() + "/gate");
    const auto file = scratch.path() + "/said";
    const Gate begun(scratch.path() + "/begun");
    Hooks hooks({shell(
        "old", "echo begun >" + scratch.path() + "/begun;" + gate.wait() + " echo old >>" + file)});
    hooks.post(event());
    std::ifstream(scratch.path() + "/begun").get();
    hooks.replace({shell("new", "echo new >>" + file)});
    hooks.post(event());
    gate.open();
    REQUIRE(hooks.settle(patience));
    CHECK(read(file) == "old\nnew\n");
}

TEST_CASE("the end of the daemon ends a hook that runs, long before its time is over") {
    const ScratchDirectory scratch;
    const auto path = scratch.path() + "/begun";
    const Gate begun(path);
    {
        Hooks hooks(
            {shell("hang", "echo begun >" + path + "; trap '' TERM; tail -f /dev/null", 24h)});
        hooks.post(event());
        hooks.post(event());
        std::ifstream(path).get();
    }
    // Had it not been ended, this line would not be reached.
    SUCCEED();
}
