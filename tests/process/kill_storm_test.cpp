// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/ledger_storm.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::Book;
using testing::ChildProcess;
using testing::ScratchDirectory;
using testing::Shared;

namespace {

constexpr int workers = 8;
constexpr core::Capacity roomy{.clients = 1024, .reservations = 8, .limits = 16, .keys = 1};

bool lapse(core::State&, const core::Rules&, core::Instant, std::uint16_t, std::uint32_t) {
    return false;
}

constexpr std::uint16_t keepers_line = workers;

struct Storm {
    int kills = 0;
    int stops = 0;
    int torn = 0;
    std::vector<std::int64_t> took_ns{};  ///< the keeper's next draw after each kill
};

/// Another one goes on right after a kill: it has to get the lock that the dead may hold.
void go_on(Segment& keeper, Book& book, Storm& storm) {
    auto& own = book.lines[keepers_line];
    ++own.begun;
    const auto before = monotonic_now();
    if (testing::draw(keeper, keepers_line).published) {
        ++own.finished;
    } else {
        ++book.errors;
    }
    storm.took_ns.push_back(monotonic_now() - before);
}

std::int64_t percentile(std::vector<std::int64_t> values, std::size_t percent) {
    if (values.empty()) return 0;
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

Storm rage(const Place& place, Segment& keeper, Book& book, int kills, bool with_stops,
           unsigned seed) {
    std::mt19937 random(seed);
    std::vector<ChildProcess> children;
    const auto start = [&](std::uint16_t line) {
        return ChildProcess([&, line] { return testing::draw_without_pause(place, line, book); });
    };
    for (std::uint16_t line = 0; line < workers; ++line) children.push_back(start(line));
    Storm storm;
    auto copy = keeper.view().make_copy();
    while (storm.kills < kills) {
        const auto line = static_cast<std::uint16_t>(random() % workers);
        testing::spin(random() % 1'000'000);
        if (with_stops && random() % 4 == 0) {
            children[line].send(SIGSTOP);
            testing::spin(random() % 500'000);
            children[line].send(SIGCONT);
            ++storm.stops;
            continue;
        }
        children[line].end();
        ++storm.kills;
        go_on(keeper, book, storm);
        if (!keeper.view().snapshot(copy) || !testing::read_ledger(copy).adds_up) ++storm.torn;
        if (storm.kills % 16 == 0) (void)keeper.sweep(lapse, core::far);
        children[line] = start(line);
    }
    book.stop = 1;
    for (auto& child : children) {
        if (child.wait() != 0) ++book.errors;
    }
    return storm;
}

void run(int kills, bool with_stops, unsigned seed = 99) {
    const ScratchDirectory scratch;
    const auto keeper = testing::create_ledger(scratch.place(), roomy).value();
    Shared<Book> book;
    const auto storm = rage(scratch.place(), *keeper, *book, kills, with_stops, seed);
    const auto ledger = testing::read_ledger(keeper->view()).value();
    std::uint64_t longest = 0;
    std::uint64_t slow = 0;
    for (const auto& line : book->lines) {
        longest = std::max(longest, line.longest_ns.load());
        slow += line.over_10_ms;
    }
    WARN("seed " << seed << ": " << storm.kills << " kills, " << storm.stops << " stops, "
                 << ledger.total << " commits, "
                 << keeper->view().counter(BudgetCounter::lock_takeovers) << " takeovers, "
                 << keeper->view().counter(BudgetCounter::lost_publications)
                 << " lost publications; another's draw after a kill: p99 "
                 << percentile(storm.took_ns, 99) / 1'000 << " us, median "
                 << percentile(storm.took_ns, 50) / 1'000 << " us, takeover time "
                 << takeover_ns / 1'000 << " us; draws over 10 ms: " << slow << ", longest "
                 << longest / 1'000'000 << " ms");
    CHECK(storm.torn == 0);
    CHECK(book->errors == 0);
    CHECK(ledger.adds_up);
    CHECK(testing::broken_lines(ledger, *book) == 0);
}

}  // namespace

TEST_CASE("G4, C01, C07: kill storm of 2,000: nobody is wedged, nothing is torn, the ledger holds",
          "[kill-storm]") {
    run(2'000, false);
}

TEST_CASE("G4, C04: kill storm with stops: a stopped holder delays the others and nothing more",
          "[kill-storm]") {
    run(500, true);
}

TEST_CASE("G4, C01: kill storm of 100,000", "[.][nightly][kill-storm]") {
    run(100'000, false, 7);
}
