// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>

#include "client/stops.hpp"
#include "fault/stepped.hpp"
#include "fault/strike.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr OpenOptions small{
    .label = "survivor", .clients = 4, .reservations = 16, .limits = 1, .keys = 1, .full = true};
constexpr auto cooldown = static_cast<std::size_t>(PauseKind::cooldown);
constexpr auto ban = static_cast<std::size_t>(PauseKind::ban);

/// One ban of an hour, which is to outlive the segment.
class PauseScene final : public Scene {
  public:
    int act() override {
        auto own = Budget::attach("budget", {.label = "victim"});
        if (!own || !must(own->try_acquire(must(own->cost({{"orders", 1}}))))) return 1;
        Stepped::mark();
        const auto paused = own->pause(PauseKind::ban, until_, "stepped");
        Stepped::mark();
        return paused && *paused ? 0 : 2;
    }
    void work(Judge& judge) override {
        const auto decision = judge.goes_on([&] { return survivor_.try_acquire(cost_); });
        if (!decision) return;
        const bool paused = decision->refusal() == Refusal::paused;
        judge.whole(paused || *decision, "neither paused nor open");
        judge.whole(!paused || decision->resume_after() == until_, "the pause has another end");
        judge.found(paused);
        const auto snapshot = must(survivor_.snapshot());
        judge.whole(snapshot.pause_until[ban] == (paused ? end_of() : 0), "a torn pause");
        if (paused && snapshot.stops_saved) {
            judge.whole(saved(ban) == in_utc(snapshot, ban), "not saved");
        }
        // It waits a tenth of a second for a frozen writer of the file, so not in every round.
        if (judge.point() % 7 != 0) return;
        const auto end = BootClock::now() + 30min;
        judge.goes_on([&] { return survivor_.pause(PauseKind::cooldown, end); });
        judge.whole(
            must(survivor_.snapshot()).pause_until[cooldown] == end.time_since_epoch().count(),
            "a survivor's pause does not stand");
    }
    void after_kill(Judge& judge) override {
        judge.freed(must(survivor_.sweep()) == 1, "the dead slot was not swept");
        is_saved(judge);
        outlives(judge);
    }
    void after_thaw(Judge& judge) override {
        is_saved(judge);
        const auto journal = must(read_journal("budget", 16));
        judge.once(std::count_if(journal.begin(), journal.end(),
                                 [](const auto& entry) { return entry.kind == "ban"; }) == 1,
                   "the journal tells of the ban not once");
        judge.once(must(survivor_.snapshot()).pause_until[ban] == end_of(), "no ban after a thaw");
    }

  private:
    std::int64_t end_of() const { return until_.time_since_epoch().count(); }
    static std::int64_t in_utc(const Snapshot& snapshot, std::size_t kind) {
        const auto until = snapshot.pause_until[kind];
        return until == 0 ? 0 : until + snapshot.utc_offset;
    }
    /// What the file says; -1 where it says nothing that can be understood.
    std::int64_t saved(std::size_t kind) const {
        std::ifstream file(scratch_.path() + "/state/budget.stops");
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const auto stops = client::parse_stops(text);
        return stops ? stops->until_utc[kind] : -1;
    }
    /// The next client has put on disk what stands.
    void is_saved(Judge& judge) {
        auto next = Budget::attach("budget", {.label = "next"});
        judge.whole(next.has_value(), "nobody can attach");
        const auto snapshot = must(survivor_.snapshot());
        judge.freed(snapshot.stops_saved, "the stop is not on disk, and nobody saved it");
        for (const auto kind : {cooldown, ban}) {
            judge.whole(saved(kind) == in_utc(snapshot, kind), "the file says something else");
        }
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& file :
             std::filesystem::directory_iterator(scratch_.path() + "/state")) {
            ++files;
        }
        judge.freed(files == 2, "a file is left beside the saved stops and their lock");
    }
    /// G8: a new segment obeys it.
    void outlives(Judge& judge) {
        must(destroy("budget"));
        auto next = must(Budget::open("budget", {limit()}, small));
        const auto snapshot = must(next.snapshot());
        judge.whole((snapshot.pause_until[ban] != 0) == judge.is_new(), "the ban did not outlive");
    }
    static LimitDefinition limit() { return rolling("orders", 1'000, 50, 1s); }

    ScratchDirectory scratch_;
    Budget survivor_ = must(Budget::open("budget", {limit()}, small));
    Cost cost_ = must(survivor_.cost({{"orders", 1}}));
    BootTime until_ = BootClock::now() + 1h;
};

}  // namespace

TEST_CASE(
    "G4, G8: killed or frozen after k instructions of a pause: it stands once or not, others obey "
    "or go on, and what stands is saved",
    "[pause]") {
    strike<PauseScene>("pause", a_sample);
}

TEST_CASE("G4: killed after every single instruction of a pause",
          "[.][every-instruction][pause][kill]") {
    strike<PauseScene>("pause", every_instruction, {Strike::kill});
}

TEST_CASE("G4: frozen after every single instruction of a pause",
          "[.][every-instruction][pause][freeze]") {
    strike<PauseScene>("pause", every_instruction, {Strike::freeze});
}
