// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/reconnect.hpp>

#include <queue>
#include <random>
#include <set>

#include "retry/stage.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// Attempts in five minutes at a venue whose connections live for `life`.
std::size_t attempts_in_5_minutes(std::chrono::nanoseconds life, std::uint64_t seed) {
    Reconnect pace;
    std::mt19937_64 random(seed);
    const BootTime start{1'000s};
    BootTime now = start;
    std::size_t attempts = 0;
    while (now - start < 5min) {
        ++attempts;
        pace.opened(now);
        now += life;
        pace.closed(now, random());
        CHECK(pace.next_at() > now);
        now = pace.next_at();
    }
    return attempts;
}

}  // namespace

TEST_CASE("A30: a handshake that opens and dies is a failure: at most 20 attempts in 5 minutes") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CHECK(attempts_in_5_minutes(50ms, seed) <= 20);
    }
}

TEST_CASE("A30: 4.9 s are no life, 5.1 s are one") {
    for (const auto& [life, resets] : {std::pair{4'900ms, false}, std::pair{5'100ms, true}}) {
        Reconnect pace({.backoff = {Jitter::none, 1s, 60s}});
        BootTime now{1'000s};
        for (int i = 0; i < 10; ++i) {
            pace.opened(now);
            pace.closed(now + life, 0);
            const auto wait = pace.next_at() - (now + life);
            CHECK(wait == (resets ? 1s : std::min<std::chrono::seconds>(60s, 1s * (1 << i))));
            now = pace.next_at();
        }
    }
}

TEST_CASE(
    "N1: an attempt that never opened counts, and a life long ago excuses none of the failures "
    "since") {
    Reconnect pace({.backoff = {Jitter::none, 1s, 60s}});
    BootTime now{1'000s};
    pace.opened(now);
    now += 1h;
    for (const auto wait : {1s, 2s, 4s, 8s}) {
        pace.closed(now, 0);
        CHECK(pace.next_at() == now + wait);
        now += 1h;  // late attempts are failures like prompt ones
    }
}

TEST_CASE("N2: three hundred streams that drop together come back spread out") {
    std::set<std::int64_t> instants;
    std::mt19937_64 random(3);
    const BootTime drop{5'000s};
    for (int i = 0; i < 300; ++i) {
        Reconnect pace;
        pace.opened(drop - 1h);
        pace.closed(drop, random());
        CHECK(pace.next_at() >= drop + 500ms);
        CHECK(pace.next_at() <= drop + 1s);
        instants.insert(pace.next_at().time_since_epoch().count() / 1'000'000);
    }
    CHECK(instants.size() > 200);
}

TEST_CASE("an instant that the venue named is a floor under the wait") {
    Reconnect pace({.backoff = {Jitter::none, 1s, 60s}});
    const BootTime now{1'000s};
    pace.closed(now, 0, now + 30s);
    CHECK(pace.next_at() == now + 31s);
}

TEST_CASE("N3: acquire gives nothing before its instant, and no longer waits than told") {
    Stage stage;
    auto port = stage.port({rolling("weight", 300, 20, 5min)});
    const Cost cost = cost_of(port);
    Reconnect pace;
    CHECK(must(pace.acquire(port.budget(), cost, BootClock::now())));
    pace.closed(BootClock::now(), 0, BootClock::now() + 1h);
    const auto refused = must(pace.acquire(port.budget(), cost, BootClock::now() + 10s));
    CHECK(refused.refusal() == Refusal::not_yet);
}

TEST_CASE(
    "A23: eight processes of forty sockets: at most 300 attempts in any 5 minutes, weight charged "
    "too") {
    Stage stage;
    const std::vector limits{rolling("connections", 300, 10, 5min), fixed("weight", 6'000)};
    std::vector<StagePort> processes;
    for (std::uint64_t p = 0; p < 8; ++p) processes.push_back(stage.port(limits, p));
    const Cost cost = must(processes[0].budget().cost({{"connections", 1}, {"weight", 2}}));
    struct Socket {
        std::size_t process;
        Reconnect pace;
        Reservation place;
    };
    std::vector<Socket> sockets(320);
    using Due = std::pair<BootTime, std::size_t>;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> queue;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        sockets[i].process = i % 8;
        queue.emplace(stage.now(), i);
    }
    std::vector<BootTime> attempts;
    const BootTime start = stage.now();
    bool has_blipped = false;
    std::mt19937_64 random(23);
    while (!queue.empty()) {
        const auto [at, i] = queue.top();
        queue.pop();
        if (!has_blipped && at >= start + 10min) {
            has_blipped = true;  // the network drops every connection at once
            stage.advance_to(std::max(stage.now(), start + 10min));
            for (std::size_t s = 0; s < sockets.size(); ++s) {
                sockets[s].pace.closed(stage.now(), random());
                queue.emplace(sockets[s].pace.next_at(), s);
            }
            continue;
        }
        if (at > stage.now()) stage.advance_to(at);
        Socket& socket = sockets[i];
        Budget& budget = processes[socket.process].budget();
        const auto decision = socket.place.id() != 0
                                  ? must(budget.confirm(socket.place))
                                  : must(budget.reserve(cost, stage.now() + 1h, socket.place));
        if (!decision) {
            queue.emplace(std::max(socket.place.at(), stage.now() + 1ms), i);
            continue;
        }
        attempts.push_back(stage.now());
        socket.pace.opened(stage.now());
        if (!has_blipped && attempts.size() == 320) queue.emplace(start + 10min, 0);
    }
    REQUIRE(attempts.size() == 640);
    for (std::size_t i = 0; i + 300 < attempts.size(); ++i) {
        CHECK(attempts[i + 300] - attempts[i] >= 5min);
    }
    CHECK(attempts.back() - attempts.front() >= 10min);
    const auto snapshot = must(processes[0].budget().snapshot());
    CHECK(snapshot.limits[1].granted_units == 2 * 640);
}
