// SPDX-License-Identifier: Apache-2.0
//
// Attaching and creating: the same call, in a directory that holds the budget and in one that does
// not.
#include <filesystem>

#include "client/opening.hpp"
#include "fault/stepped.hpp"
#include "fault/strike.hpp"
#include "support/limits.hpp"
#include "support/manual_clock.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr int clients = 4;
constexpr int units = 10;

/// A directory, and clients that open the budget in it; time stands still but for rest().
class OpeningScene : public Scene {
  public:
    int act() override {
        Stepped::mark();
        auto own = open("victim");
        Stepped::mark();
        if (!own) return 1;
        return try_patiently(*own, must(own->cost({{"weight", 1}}))) ? 0 : 2;
    }

  protected:
    Result<Budget> open(std::string_view label) {
        const std::vector limits = {once("weight", units)};
        return client::Opening::open("budget", limits,
                                     {.label = std::string(label),
                                      .clients = clients,
                                      .reservations = 16,
                                      .limits = 1,
                                      .keys = 1,
                                      .full = true},
                                     *clock_);
    }
    bool is_there() const { return std::filesystem::exists(scratch_.place().path()); }
    std::size_t drain_rest(Budget& budget) {
        const auto cost = must(budget.cost({{"weight", 1}}));
        std::size_t granted = 0;
        while (try_patiently(budget, cost)) ++granted;
        return granted;
    }
    /// As many can attach as there are slots, once the freed ones have rested.
    void every_slot_serves(Judge& judge) {
        clock_->advance(3 * core::second_ns);
        std::vector<Budget> others;
        while (others.size() < clients - 1) {
            auto other = open("other");
            judge.freed(other.has_value(), "a slot is not free after the sweep and its rest");
            if (!other) return;
            others.push_back(std::move(*other));
        }
    }
    /// A writer that died leaves at most the file that the next one writes anew. Then nothing is
    /// beside the segment, the saved stops and their lock.
    void no_litter(Judge& judge, Budget& budget) {
        must(budget.pause(PauseKind::manual, BootClock::now() + 24h));
        judge.freed(scratch_.entries() == 2, "a file is left beside the segment");
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& file :
             std::filesystem::directory_iterator(scratch_.path() + "/state")) {
            ++files;
        }
        judge.freed(files == 2, "a file is left beside the saved stops and their lock");
    }
    /// Whole slots only: each names a client that was there.
    void no_half_slot(Judge& judge, Budget& budget, std::size_t most) {
        const auto snapshot = must(budget.snapshot());
        judge.whole(snapshot.clients.size() <= most, "more clients than there were");
        for (const auto& client : snapshot.clients) {
            judge.whole(client.generation > 0 && client.attached_at == clock_->boot(),
                        "half a slot");
        }
    }

    ScratchDirectory scratch_;
    Shared<ManualClock> clock_;
};

class AttachScene final : public OpeningScene {
  public:
    AttachScene() : survivor_(must(open("survivor"))) {}

    void work(Judge& judge) override {
        judge.goes_on([&] { return survivor_.try_acquire(must(survivor_.cost({{"weight", 1}}))); });
        no_half_slot(judge, survivor_, 2);
        judge.found(must(survivor_.snapshot()).clients.size() == 2);
    }
    void after_kill(Judge& judge) override {
        judge.freed(must(survivor_.sweep()) == (judge.is_new() ? 1 : 0), "not swept");
        judge.freed(must(survivor_.snapshot()).clients.size() == 1, "a dead client is left");
        every_slot_serves(judge);
        judge.whole(drain_rest(survivor_) == units - 1, "a unit was lost or gained");
        no_litter(judge, survivor_);
    }
    void after_thaw(Judge& judge) override {
        const auto snapshot = must(survivor_.snapshot());
        judge.once(snapshot.clients.size() == 2, "it is attached not once");
        for (const auto& client : snapshot.clients) {
            if (client.label == "survivor") continue;
            judge.whole(client.label == "victim" && client.pid == judge.victim(), "half a slot");
        }
    }
    void after_end(Judge& judge) override {
        judge.once(drain_rest(survivor_) == units - 2, "a unit was lost or doubled");
    }

  private:
    Budget survivor_;
};

class CreationScene final : public OpeningScene {
  public:
    void work(Judge& judge) override {
        judge.found(is_there());
        judge.freed(is_there() || scratch_.entries() == 0, "a file without its name");
        auto opened = judge.goes_on([&] { return open("survivor"); });
        if (!opened) return;
        survivor_.emplace(std::move(*opened));
        id_ = must(survivor_->snapshot()).segment_id;
        judge.goes_on([&] {
            return survivor_->try_acquire(must(survivor_->cost({{"weight", 1}})));
        });
        no_half_slot(judge, *survivor_, 2);
    }
    void after_kill(Judge& judge) override {
        if (!survivor_) return;
        must(survivor_->sweep());
        judge.freed(must(survivor_->snapshot()).clients.size() == 1, "a dead client is left");
        every_slot_serves(judge);
        judge.whole(drain_rest(*survivor_) == units - 1, "a unit was lost or gained");
        no_litter(judge, *survivor_);
    }
    void after_thaw(Judge& judge) override {
        if (!survivor_) return;
        const auto snapshot = must(read_snapshot("budget"));
        judge.once(snapshot.segment_id == id_, "a thawed creator replaced the segment");
        judge.once(snapshot.clients.size() == 2, "the two are not on one segment");
        const auto journal = must(read_journal("budget", 16));
        judge.once(std::count_if(journal.begin(), journal.end(),
                                 [](const auto& entry) { return entry.kind == "created"; }) == 1,
                   "it was created not once");
    }
    void after_end(Judge& judge) override {
        if (!survivor_) return;
        judge.once(drain_rest(*survivor_) == units - 2, "a unit was lost or doubled");
        no_litter(judge, *survivor_);
    }

  private:
    std::optional<Budget> survivor_;
    std::string id_;
};

}  // namespace

TEST_CASE(
    "G4, C17: killed or frozen after k instructions of attaching: no half slot, none is lost, and "
    "what is thawed is attached once",
    "[attach]") {
    strike<AttachScene>("attach", a_sample);
}

TEST_CASE(
    "G4, C02: killed or frozen after k instructions of creating: nothing or a whole segment, no "
    "litter, and a thawed creator does not replace another's",
    "[creation]") {
    strike<CreationScene>("creation", a_sample);
}

TEST_CASE("G4: killed after every single instruction of attaching",
          "[.][every-instruction][attach][kill]") {
    strike<AttachScene>("attach", every_instruction, {Strike::kill});
}

TEST_CASE("G4: frozen after every single instruction of attaching",
          "[.][every-instruction][attach][freeze]") {
    strike<AttachScene>("attach", every_instruction, {Strike::freeze});
}

TEST_CASE("G4: killed after every single instruction of creating",
          "[.][every-instruction][creation][kill]") {
    strike<CreationScene>("creation", every_instruction, {Strike::kill});
}

TEST_CASE("G4: frozen after every single instruction of creating",
          "[.][every-instruction][creation][freeze]") {
    strike<CreationScene>("creation", every_instruction, {Strike::freeze});
}
