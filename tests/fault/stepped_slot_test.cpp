// SPDX-License-Identifier: Apache-2.0
#include "fault/stepped.hpp"
#include "fault/strike.hpp"
#include "segment/mapping.hpp"
#include "segment/slots.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using namespace ratecoord::testing;

namespace {

constexpr core::Capacity small{.clients = 2, .reservations = 1, .limits = 1, .keys = 1};

/// The taking of one client slot.
class SlotScene final : public Scene {
  public:
    int act() override {
        const auto mapping = map_file(place_, Access::read_write);
        if (!mapping) return 1;
        Slots slots(mapping->base(), mapping->geometry, mapping->file.get());
        const auto now = SystemClock::instance().boot();
        Stepped::mark();
        const auto slot = slots.claim("victim", now, 1);
        Stepped::mark();
        return slot && slot->index == 1 ? 0 : 2;
    }
    void work(Judge& judge) override {
        judge.goes_on([&]() -> Result<void> {
            const auto drawn = draw(*survivor_, 0);
            if (!drawn.published) return tl::unexpected(survivor_->error_of(drawn));
            return {};
        });
        judge.found(is_taken());
        is_whole(judge);
    }
    void after_kill(Judge& judge) override {
        const auto swept = survivor_->sweep([](core::State&, const core::Rules&, core::Instant,
                                               std::uint16_t, std::uint32_t) { return false; },
                                            core::far);
        judge.freed(swept.size() == (judge.is_new() ? 1 : 0), "a dead slot was not swept");
        judge.freed(!is_taken(), "a slot is left");
    }
    void after_thaw(Judge& judge) override {
        judge.once(is_taken(), "the slot is not taken");
        is_whole(judge);
    }

  private:
    bool is_taken() const { return survivor_->view().clients().size() == 2; }
    void is_whole(Judge& judge) const {
        for (const auto& client : survivor_->view().clients()) {
            if (client.slot.index == 0) continue;
            judge.whole(client.label == "victim" && client.pid == judge.victim() &&
                            client.slot.generation == 1 && client.attached_at > 0,
                        "half a slot");
        }
    }

    ScratchDirectory scratch_;
    Place place_ = scratch_.place();
    std::unique_ptr<Segment> survivor_ =
        create_ledger(place_, small, {.label = "creator"}, 1).value();
};

}  // namespace

TEST_CASE(
    "G4, C17: killed or frozen at every instruction of claiming a slot: it is free or whole") {
    strike<SlotScene>("claim", 500);
}
