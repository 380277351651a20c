// SPDX-License-Identifier: Apache-2.0
//
// G2 by the order of commits, which no clock can blur: every commit that hands out a permit notes
// the epoch it found, and a pause raises the epoch.
#include "core/calendar.hpp"
#include "core/pause.hpp"
#include "core/plan.hpp"
#include "process/crowd.hpp"
#include "segment/segment.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

struct Handed {
    std::uint64_t epoch;  ///< of the state it was taken from
    std::int64_t at;
    bool was_reserved;
};

struct Notes {
    std::atomic<std::uint64_t> pause_epoch{0};
    std::atomic<std::int64_t> until{0};
    std::atomic<std::size_t> next{0};
    std::array<Handed, 300'000> handed;
};

class Bot {
  public:
    explicit Bot(Notes& notes) : notes_(notes) {
        segment_ =
            must(segment::Segment::attach(must(segment::place_of("budget")), {.label = "bot"}));
        workspace_.emplace(segment_->view().capacity());
    }

    /// One request with that deadline: now, or a place that is confirmed at its instant.
    void draw(std::int64_t deadline) {
        core::Request request;
        request.count = 1;
        request.draws[0] = {.limit = 0, .cell = 0, .units = 1};
        request.deadline = deadline;
        core::Answer answer;
        std::uint64_t epoch = 0;
        bool fresh = false;
        commit([&](core::State& state, const core::Rules& rules, core::Instant now) {
            epoch = state.head->epoch;
            request.slot = segment_->slot().index;
            request.slot_generation = segment_->slot().generation;
            answer = core::reserve(state, rules, *workspace_, request, now);
            fresh = answer.verdict != core::Verdict::plan_stale;
            return answer.changed;
        });
        if (!fresh) return plan();
        note(answer, epoch, false);
        if (answer.verdict == core::Verdict::reserved) confirm(answer.id, answer.at);
    }

    void pause(std::int64_t length) {
        commit([&](core::State& state, const core::Rules& rules, core::Instant now) {
            notes_.until = now + length;
            core::pause(state, rules, PauseKind::cooldown, core::none, now + length, now);
            notes_.pause_epoch = state.head->epoch;
            return true;
        });
    }

  private:
    template <class Decide>
    void commit(Decide&& decide) {
        while (!segment_->commit(segment_->clock().boot() + core::second_ns, decide).ok()) {
        }
    }

    void plan() {
        commit([&](core::State& state, const core::Rules& rules, core::Instant now) {
            if (state.head->plan == core::Plan::fresh) return false;
            core::step(state, rules, *workspace_, now);
            return true;
        });
    }

    void confirm(std::uint64_t id, std::int64_t at) {
        core::Answer answer;
        do {
            std::uint64_t epoch = 0;
            segment_->wait(epoch_, std::min(at, segment_->clock().boot() + core::second_ns));
            commit([&](core::State& state, const core::Rules& rules, core::Instant now) {
                epoch_ = epoch = state.head->epoch;
                answer = core::confirm(state, rules, id, segment_->slot().index,
                                       segment_->slot().generation, now);
                return answer.changed;
            });
            if (answer.verdict == core::Verdict::plan_stale) plan();
            note(answer, epoch, true);
            at = answer.at;
        } while (answer.verdict == core::Verdict::reserved ||
                 answer.verdict == core::Verdict::plan_stale);
    }

    void note(const core::Answer& answer, std::uint64_t epoch, bool was_reserved) {
        if (answer.verdict != core::Verdict::granted) return;
        const auto line = notes_.next.fetch_add(1);
        if (line < notes_.handed.size()) notes_.handed[line] = {epoch, answer.at, was_reserved};
    }

    Notes& notes_;
    std::unique_ptr<segment::Segment> segment_;
    std::optional<core::Workspace> workspace_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

TEST_CASE("G2: in the order of commits, no permit after a pause is for an instant before its end") {
    int reserved_before = 0;
    int handed_before = 0;
    for (int round = 0; round < 10; ++round) {
        ScratchDirectory directory;
        Shared<Notes> notes;
        Crowd crowd(16, {rolling("orders", 20'000, 50, 1s)}, {.full = true},
                    [&](Budget& budget, int member) {
                        Bot bot(*notes);
                        static_cast<void>(budget);
                        const auto now = [] { return PermitLog::count(BootClock::now()); };
                        for (int call = 0; notes->until == 0 || now() < notes->until; ++call) {
                            if (member == 3 && call == 20 + round) {
                                bot.pause(100 * core::millisecond_ns);
                            }
                            bot.draw(member % 2 == 0 ? 0 : now() + core::second_ns);
                        }
                        return 0;
                    });
        crowd.open();
        REQUIRE(crowd.join() == 0);
        REQUIRE(notes->next < notes->handed.size());
        std::size_t broken = 0;
        for (std::size_t i = 0; i < notes->next; ++i) {
            const Handed& each = notes->handed[i];
            const bool is_after = each.epoch >= notes->pause_epoch;
            if (is_after && each.at < notes->until) ++broken;
            if (!is_after) ++(each.was_reserved ? reserved_before : handed_before);
        }
        CHECK(broken == 0);
        CHECK(notes->pause_epoch > 0);
    }
    CHECK(reserved_before > 0);
    CHECK(handed_before > 0);
}
