// SPDX-License-Identifier: Apache-2.0
#include "fault/stepped.hpp"
#include "fault/strike.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using namespace ratecoord::testing;

namespace {

constexpr core::Capacity small{.clients = 4, .reservations = 16, .limits = 16, .keys = 1};
constexpr std::uint16_t survivors_line = 0;
constexpr std::uint16_t victims_line = 1;

bool lapse(core::State&, const core::Rules&, core::Instant, std::uint16_t, std::uint32_t) {
    return false;
}

/// One commit of a client that has committed before.
class CommitScene final : public Scene {
  public:
    int act() override {
        const auto own = Segment::attach(place_, {.label = "victim"});
        if (!own || !draw(**own, victims_line).published) return 1;
        Stepped::mark();
        const bool fine = draw(**own, victims_line).published;
        Stepped::mark();
        return fine ? 0 : 1;
    }
    void work(Judge& judge) override {
        judge.goes_on([&]() -> Result<void> {
            const auto drawn = draw(*survivor_, survivors_line);
            if (!drawn.published) return tl::unexpected(survivor_->error_of(drawn));
            return {};
        });
        const auto ledger = read_ledger(survivor_->view()).value();
        judge.whole(ledger.adds_up, "the ledger does not add up");
        judge.whole(ledger.lines[victims_line] == 1 || ledger.lines[victims_line] == 2,
                    "the victim's line is neither old nor new");
        judge.found(ledger.lines[victims_line] != 1);
    }
    void after_kill(Judge& judge) override {
        judge.freed(survivor_->sweep(lapse, core::far).size() == 1, "the dead slot was not swept");
        judge.freed(survivor_->view().clients().size() == 1, "a slot is left");
    }
    void after_thaw(Judge& judge) override {
        const auto ledger = read_ledger(survivor_->view()).value();
        judge.whole(ledger.adds_up, "the ledger does not add up after the thaw");
        judge.once(ledger.lines[victims_line] == 2 && ledger.lines[survivors_line] == 1,
                   "a commit was lost or doubled");
    }

  private:
    ScratchDirectory scratch_;
    Place place_ = scratch_.place();
    std::unique_ptr<Segment> survivor_ = create_ledger(place_, small).value();
};

}  // namespace

TEST_CASE(
    "G4, C01: killed or frozen after k instructions of a commit: the state is old or new, others "
    "go on, "
    "and what is thawed counts once") {
    strike<CommitScene>("commit", a_sample);
}

TEST_CASE("G4: killed after every single instruction of a commit",
          "[.][every-instruction][commit][kill]") {
    strike<CommitScene>("commit", every_instruction, {Strike::kill});
}

TEST_CASE("G4: frozen after every single instruction of a commit",
          "[.][every-instruction][commit][freeze]") {
    strike<CommitScene>("commit", every_instruction, {Strike::freeze});
}
