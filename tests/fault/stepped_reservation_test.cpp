// SPDX-License-Identifier: Apache-2.0
#include "fault/stepped.hpp"
#include "fault/strike.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

constexpr OpenOptions small{
    .label = "survivor", .clients = 4, .reservations = 16, .limits = 1, .keys = 1, .full = true};

/// One unit an hour, so that every reservation stands at an hour of its own, whatever a round takes.
LimitDefinition hourly() {
    return rolling("orders", 60, 1, 60h - 250ms);
}

/// One reservation, of a client that has reserved and cancelled before.
class ReservationScene final : public Scene {
  public:
    ReservationScene() {
        if (!must(survivor_.try_acquire(cost_))) throw std::runtime_error("no first unit");
        Reservation probe;
        must(survivor_.reserve(cost_, until_, probe));
        first_ = probe.at();
        must(survivor_.cancel(probe));
    }
    int act() override {
        auto own = Budget::attach("budget", {.label = "victim"});
        if (!own) return 1;
        const auto cost = must(own->cost({{"orders", 1}}));
        Reservation reservation;
        must(own->reserve(cost, until_, reservation));
        must(own->cancel(reservation));
        Stepped::mark();
        const auto decision = own->reserve(cost, until_, reservation);
        Stepped::mark();
        if (!decision || reservation.id() == 0) return 2;
        return reservation.at() == first_ || reservation.at() == first_ + 1h ? 0 : 3;
    }
    void work(Judge& judge) override {
        judge.goes_on([&] { return survivor_.reserve(cost_, until_, own_); });
        judge.whole(own_.at() == first_ || own_.at() == first_ + 1h, "a unit was lost or gained");
        judge.found(own_.at() != first_);
        judge.whole(stand() == (judge.is_new() ? 2 : 1), "the calendar holds another number");
    }
    void after_kill(Judge& judge) override {
        judge.freed(must(survivor_.sweep()) == 1, "the dead slot was not swept");
        judge.freed(stand() == 1, "a dead client's reservation is left");
        // Whoever was behind it moves up, and the place behind him is free.
        judge.whole(!must(survivor_.confirm(own_)), "a reservation was given an hour too early");
        judge.freed(own_.at() == first_, "the unit of a dead client was not given back");
        judge.freed(next_place() == first_ + 1h, "the place behind is not free");
        judge.freed(must(survivor_.snapshot()).clients.size() == 1, "a slot is left");
    }
    void after_thaw(Judge& judge) override {
        const auto snapshot = must(survivor_.snapshot());
        judge.once(snapshot.reservations.size() == 2, "a reservation was lost or doubled");
        if (snapshot.reservations.size() != 2) return;
        judge.once(snapshot.reservations[0].label != snapshot.reservations[1].label,
                   "one client holds both reservations");
        judge.once(snapshot.reservations[0].at != snapshot.reservations[1].at,
                   "two reservations share a unit");
        judge.once(next_place() == first_ + 2h, "another number of units is drawn");
    }

  private:
    std::size_t stand() { return must(survivor_.snapshot()).reservations.size(); }
    BootTime next_place() {
        Reservation probe;
        must(survivor_.reserve(cost_, until_, probe));
        const auto at = probe.at();
        must(survivor_.cancel(probe));
        return at;
    }

    ScratchDirectory scratch_;
    Budget survivor_ = must(Budget::open("budget", {hourly()}, small));
    Cost cost_ = must(survivor_.cost({{"orders", 1}}));
    BootTime until_ = BootClock::now() + 24h;
    BootTime first_{};
    Reservation own_;
};

}  // namespace

TEST_CASE(
    "G4, D11: killed or frozen after k instructions of a reservation: it stands once or not, "
    "others "
    "reserve, and the dead are swept",
    "[reservation]") {
    strike<ReservationScene>("reservation", a_sample);
}

TEST_CASE("G4: killed after every single instruction of a reservation",
          "[.][every-instruction][reservation][kill]") {
    strike<ReservationScene>("reservation", every_instruction, {Strike::kill});
}

TEST_CASE("G4: frozen after every single instruction of a reservation",
          "[.][every-instruction][reservation][freeze]") {
    strike<ReservationScene>("reservation", every_instruction, {Strike::freeze});
}
