// SPDX-License-Identifier: Apache-2.0
//
// The protocol that ships, interleaved at every step by a seeded scheduler that kills and freezes.
#include <algorithm>
#include <cstring>
#include <new>

#include "segment/publication.hpp"
#include "sim/fiber_scheduler.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using sim::FiberScheduler;
using sim::SimSteps;

namespace {

constexpr int writers = 4;
constexpr int commits_each = 6;
constexpr std::uint16_t lines = 4;
constexpr core::Capacity capacity{
    .clients = writers, .reservations = 1, .limits = lines, .keys = 1};
constexpr auto geometry = Geometry::of(capacity);

/// A segment in private memory, with the ledger opened.
class Memory {
  public:
    Memory()
        : base_(static_cast<std::byte*>(
              ::operator new (geometry.total, std::align_val_t{2 * line_bytes}))) {
        std::memset(base_, 0, geometry.total);
        StateCopy copy(capacity);
        copy.state().head->limits_in_use = lines;
        copy.state().head->next_id = 1;
        testing::open_ledger(copy.state(), 0);
        const auto& state = copy.state();
        auto* to = base_ + geometry.buffer(geometry.buffers - 1);
        store_record(to, BufferHead{checksum(state, 1), 1});
        store_words(to + sizeof(BufferHead), state.head, sizeof(core::StateHead));
        store_words(to + sizeof(BufferHead) + geometry.state.cells, state.cells().data(),
                    state.cells().size_bytes());
        *word_at(base_, geometry.control) = Root::of(1, geometry.buffers - 1);
    }
    ~Memory() { ::operator delete (base_, std::align_val_t{2 * line_bytes}); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    std::byte* base() const noexcept { return base_; }

  private:
    std::byte* base_;
};

struct Admit {
    ErrorCode admit(core::State&, core::Instant) const noexcept { return {}; }
    bool may_publish() const noexcept { return true; }
};

struct Outcome {
    std::array<int, writers> begun{};
    std::array<int, writers> finished{};
    std::vector<std::uint64_t> versions;
    int readings = 0;
    int mixtures = 0;
    int late = 0;
    bool ended = false;
    testing::Ledger ledger;
    std::uint64_t takeovers = 0;
};

constexpr std::int64_t patience = 2 * core::second_ns;

void write_some(Publication<SimSteps>& publication, std::uint16_t who, Outcome& outcome) {
    const sim::SimClock clock;
    for (int i = 0; i < commits_each; ++i) {
        ++outcome.begun[who];
        const auto deadline = clock.boot() + patience;
        const auto result = publication.commit(
            clock, deadline, Admit{},
            [&](core::State& state, core::Instant now) { return testing::enter(state, who, now); });
        if (!result.published) {
            ++outcome.late;
            continue;
        }
        ++outcome.finished[who];
        outcome.versions.push_back(result.version);
    }
}

// The copy is not the fiber's own: a killed fiber never frees anything.
void read_some(const Memory& memory, StateCopy& copy, Outcome& outcome) {
    const PublishedState<SimSteps> published(memory.base(), geometry);
    for (int i = 0; i < 12; ++i) {
        if (published.snapshot(copy) != ReadEnd::good || !testing::read_ledger(copy).adds_up) {
            ++outcome.mixtures;
        }
        ++outcome.readings;
        SimSteps::yield();
    }
}

Outcome play(std::uint64_t seed, unsigned kills, unsigned freezes) {
    Outcome outcome;
    const Memory memory;
    FiberScheduler scheduler(seed);
    std::vector<std::unique_ptr<Publication<SimSteps>>> publications;
    for (std::uint16_t who = 0; who < writers; ++who) {
        publications.push_back(
            std::make_unique<Publication<SimSteps>>(memory.base(), geometry, who));
        scheduler.add([&, who] { write_some(*publications[who], who, outcome); });
    }
    StateCopy reading(capacity);
    scheduler.add([&] { read_some(memory, reading, outcome); });
    scheduler.set_dangers(kills, freezes);
    outcome.ended = scheduler.run(4'000'000);
    StateCopy copy(capacity);
    const PublishedState<> published(memory.base(), geometry);
    if (published.snapshot(copy) == ReadEnd::good) outcome.ledger = testing::read_ledger(copy);
    outcome.takeovers = *word_at(memory.base(), geometry.budget_counters);
    return outcome;
}

/// Empty if every promise was kept.
std::string broken_promise(Outcome& outcome) {
    if (!outcome.ended) return "somebody waits for ever";
    if (outcome.mixtures != 0) return "a reader saw a mixture";
    if (outcome.late != 0) return "a commit missed a deadline far beyond the takeover time";
    if (!outcome.ledger.adds_up) return "the last state is torn, or a version is missing";
    for (std::size_t who = 0; who < writers; ++who) {
        const auto drawn = outcome.ledger.lines[who];
        if (drawn < static_cast<std::uint64_t>(outcome.finished[who])) return "a commit was lost";
        if (drawn > static_cast<std::uint64_t>(outcome.begun[who])) return "a commit was doubled";
    }
    std::sort(outcome.versions.begin(), outcome.versions.end());
    if (std::adjacent_find(outcome.versions.begin(), outcome.versions.end()) !=
        outcome.versions.end()) {
        return "two commits published one version";
    }
    return {};
}

void explore(std::uint64_t seeds, unsigned kills, unsigned freezes) {
    std::uint64_t commits = 0;
    std::uint64_t takeovers = 0;
    std::uint64_t readings = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto outcome = play(seed, kills, freezes);
        const auto broken = broken_promise(outcome);
        if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
        commits += outcome.ledger.total;
        takeovers += outcome.takeovers;
        readings += static_cast<std::uint64_t>(outcome.readings);
    }
    WARN(seeds << " schedules, " << commits << " commits, " << readings << " readings, "
               << takeovers << " takeovers");
    CHECK(commits > 0);
}

}  // namespace

TEST_CASE("P1, P2: every interleaving publishes each commit once, as a version of its own") {
    explore(800, 0, 0);
}

TEST_CASE(
    "G4: with kills at any step no commit is lost, doubled or torn, and nobody waits for ever") {
    explore(1'000, 1, 0);
}

TEST_CASE("G4: with freezes at any step the others go on, and who thaws counts once") {
    explore(1'000, 0, 2);
}

TEST_CASE("G4: kills and freezes together") {
    explore(1'000, 1, 2);
}

TEST_CASE("the same seed gives the same run") {
    const auto first = play(42, 1, 2);
    const auto second = play(42, 1, 2);
    CHECK(first.versions == second.versions);
    CHECK(first.ledger.lines == second.ledger.lines);
    CHECK(first.takeovers == second.takeovers);
}
