// SPDX-License-Identifier: Apache-2.0
//
// A member of the group scribbles over budgets that others draw from. He may deny service; he may
// crash nobody, hang nobody, and give nobody a unit. The units are counted outside of the segment.
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"
#include "support/seed.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr int units = 100;
constexpr int clients = 3;
constexpr int calls = 300;

struct Account {
    std::atomic<int> given{0};
    std::atomic<std::uint64_t> strokes{0};
    std::atomic<std::uint64_t> decided{0};
    std::atomic<std::uint64_t> refused_by_error{0};
    std::atomic<std::int64_t> longest_ns{0};
    std::atomic<std::int64_t> busiest_ns{0};  ///< processor time of one call
    std::atomic<std::uint64_t> over_10_ms{0};
    std::atomic<bool> stop{false};

    void note(std::int64_t ns, std::int64_t busy_ns) {
        raise(longest_ns, ns);
        raise(busiest_ns, busy_ns);
        if (ns > 10'000'000) ++over_10_ms;
    }

    static void raise(std::atomic<std::int64_t>& most, std::int64_t ns) {
        auto seen = most.load();
        while (ns > seen && !most.compare_exchange_weak(seen, ns)) {
        }
    }
};

std::int64_t processor_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

bool is_root() {
    return ::geteuid() == 0;
}

/// As another user of the group, where there is one to become.
int scribble(Account& account, std::uint64_t seed, Gate& gate) {
    constexpr gid_t nogroup = 65534;
    if (is_root() &&
        (::setgroups(1, &nogroup) != 0 || ::setgid(nogroup) != 0 || ::setuid(nogroup) != 0)) {
        return 3;
    }
    const auto place = segment::place_of("budget").value();
    const int fd = ::open(place.path().c_str(), O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0) return 4;
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    auto* const words = static_cast<std::uint64_t*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (words == MAP_FAILED) return 5;
    std::mt19937_64 random(seed);
    gate.arrive();
    while (!account.stop) {
        // Half of the strokes hit what everybody reads: header, control block, first clients.
        const auto reach = random() % 2 == 0 ? std::uint64_t{4096} : bytes;
        const auto value = random() % 3 == 0 ? random() % 8 : random();
        __atomic_store_n(words + random() % (reach / 8), value, __ATOMIC_RELAXED);
        ++account.strokes;
        spin(random() % 20'000);
    }
    return 0;
}

void call(Budget& budget, const Cost& one, Account& account, int turn) {
    const auto began = BootClock::now();
    const auto busy = processor_time();
    if (turn % 50 == 49) {
        static_cast<void>(budget.snapshot());
        static_cast<void>(budget.sweep());
    } else {
        const auto decision = turn % 20 == 19 ? budget.acquire(one, std::chrono::microseconds(100))
                                              : budget.try_acquire(one);
        if (decision && *decision) ++account.given;
        decision ? ++account.decided : ++account.refused_by_error;
    }
    account.note(std::chrono::nanoseconds(BootClock::now() - began).count(),
                 processor_time() - busy);
}

/// One budget, from its creation until it is scribbled to death and every call was made.
void round(Account& account, std::uint64_t seed) {
    const ScratchDirectory directory;
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    account.given = 0;
    account.stop = false;
    OpenOptions options{.clients = 8, .reservations = 16, .full = true};
    if (is_root()) options.group = "nogroup";
    auto keeper = must(Budget::open("budget", {once("weight", units)}, options));
    Gate gate;
    std::vector<ChildProcess> children;
    for (int i = 0; i < clients; ++i) {
        children.emplace_back([&] {
            auto budget = must(Budget::attach("budget"));
            const auto one = must(budget.cost({{"weight", 1}}));
            gate.arrive();
            for (int turn = 0; turn < calls; ++turn) call(budget, one, account, turn);
            return 0;
        });
    }
    ChildProcess scribbler([&] { return scribble(account, seed, gate); });
    REQUIRE(gate.wait_for(clients + 1));
    gate.open();
    for (auto& child : children) CHECK(child.wait() == 0);
    account.stop = true;
    CHECK(scribbler.wait() == 0);
    CHECK(account.given <= units);
}

void report(const Account& account, int rounds) {
    std::printf("scribbler: %d budgets, %llu strokes, %llu decisions, %llu errors\n", rounds,
                static_cast<unsigned long long>(account.strokes),
                static_cast<unsigned long long>(account.decided),
                static_cast<unsigned long long>(account.refused_by_error));
    std::printf("longest call %.3f ms (%llu over 10 ms), at most %.3f ms of it on a processor\n",
                static_cast<double>(account.longest_ns) / 1e6,
                static_cast<unsigned long long>(account.over_10_ms),
                static_cast<double>(account.busiest_ns) / 1e6);
}

}  // namespace

TEST_CASE("G1, G6, G7: another process scribbles: nobody crashes, no unit comes of it") {
    Shared<Account> account;
    constexpr int rounds = 60;
    for (int i = 0; i < rounds; ++i) round(*account, 20240607 + static_cast<std::uint64_t>(i));
    report(*account, rounds);
    CHECK(account->decided > 0);
    CHECK(account->refused_by_error > 0);
}

TEST_CASE("G1, G6, G7: another process scribbles for a minute", "[.][minute]") {
    Shared<Account> account;
    const auto seed = testing::seed();
    std::printf("scribbler: seed %u\n", seed);
    const auto until = BootClock::now() + 60s;
    int rounds = 0;
    while (BootClock::now() < until) round(*account, seed + static_cast<std::uint64_t>(rounds++));
    report(*account, rounds);
    // A hang that no scheduler explains.
    CHECK(account->busiest_ns < 10'000'000);
    CHECK(account->decided > 0);
    CHECK(account->refused_by_error > 0);
}
