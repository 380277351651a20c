// SPDX-License-Identifier: Apache-2.0
//
// What a full calendar costs: a reservation behind all others, and the longest commit.
#include <ctime>

#include "core/pause.hpp"
#include "core/plan.hpp"
#include "figures.hpp"
#include "segment/segment.hpp"
#include "stage.hpp"
#include "verdicts.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using ratecoord::BootClock;
using ratecoord::LimitKind;
using ratecoord::core::Instant;
using ratecoord::core::Rules;
using ratecoord::core::State;

constexpr std::uint32_t capacity = 512;
constexpr std::size_t ahead = 500;
constexpr int rounds = 200;

/// Time this thread was running: a commit's own length, whoever else is on the machine.
double cpu_us() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// A calendar, and what asks for a place behind it.
struct Line {
    std::string what;
    std::vector<ratecoord::LimitDefinition> limits;
    std::vector<ratecoord::CostItem> each;
    std::vector<ratecoord::CostItem> last;  ///< one more entry, at the end; or none
    std::vector<ratecoord::CostItem> request;
};

Line ordinary() {
    const std::vector<ratecoord::CostItem> items{
        {"pace", 1}, {"weight", 1}, {"orders", 1, "main"}, {"raw", 1}};
    return {"ordinary", roomy_limits(3), items, {}, items};
}

/// The request fits every gap on its own, and only the last entry says that it may not go there:
/// entries draw one unit from each limit in the time it takes to come back, the last draws all.
Line worst(std::size_t count) {
    static constexpr const char* names[] = {"a", "b", "c", "d", "e", "f", "g"};
    constexpr std::uint64_t most = 10;
    Line line{"worst, " + std::to_string(count) + " limits",
              roomy_limits(0),
              {{"pace", 1}},
              {{"pace", 1}},
              {}};
    const auto between = line.limits.front().window + line.limits.front().slack;
    for (std::size_t i = 0; i < count; ++i) {
        line.limits.push_back({.name = names[i],
                               .kind = LimitKind::bucket,
                               .quota = 1,
                               .window = between,
                               .burst = most,
                               .largest_cost = most - 1});
        line.each.push_back({names[i], 1});
        line.last.push_back({names[i], most - 1});
        line.request.push_back({names[i], 1});
    }
    return line;
}

void measure_reservation(Stage& stage, const Line& line, Bar bar, Verdicts& verdicts) {
    const auto name = stage.fresh_name();
    auto budget = create(name, line.limits, capacity);
    Queue queue(name, capacity);
    queue.fill_to(line.last.empty() ? ahead : ahead - 1, line.each);
    if (!line.last.empty()) queue.fill_to(ahead, line.last);
    const auto cost = must(budget.cost(std::span<const ratecoord::CostItem>(line.request)))
                          .with(ratecoord::Lane::critical);
    std::vector<double> took;
    ratecoord::BootTime at{};
    for (int i = 0; i < rounds; ++i) {
        // Brings the plan up to date after the last cancel, and makes our copy of the state stale.
        must(budget.try_acquire(cost));
        ratecoord::Reservation reservation;
        const auto begun = BootClock::now();
        must(budget.reserve(cost, begun + 10000h, reservation));
        took.push_back(static_cast<double>((BootClock::now() - begun).count()) / 1e3);
        at = reservation.at();
        if (!must(budget.cancel(reservation))) give_up("a reservation could not be cancelled");
    }
    if (at < BootClock::now() + (ahead - 1) * 10min) give_up("the request found a gap");
    verdicts.add("reservation behind 500, " + line.what + ": median", median(took), "us", bar);
    verdicts.add("  fastest", quantile(took, 0), "us");
}

/// The commits that move a whole calendar, by what they do, each with its own length.
class Mover {
  public:
    explicit Mover(const std::string& name)
        : segment_(must(ratecoord::segment::Segment::attach(*ratecoord::segment::place_of(name),
                                                            {.label = "mover"}))),
          workspace_(segment_->view().capacity()) {}

    template <class Change>
    double commit(Change&& change) {
        const double before = cpu_us();
        const auto result = segment_->commit(-10 * ratecoord::core::second_ns,
                                             [&](State& state, const Rules& rules, Instant now) {
                                                 change(state, rules, now);
                                                 return true;
                                             });
        if (!result.ok()) give_up("a commit failed");
        return cpu_us() - before;
    }
    /// Steps until the plan is fresh; one length each.
    std::vector<double> settle_plan() {
        std::vector<double> lengths;
        for (bool more = true; more && lengths.size() < 100;) {
            lengths.push_back(commit([&](State& state, const Rules& rules, Instant now) {
                more = ratecoord::core::step(state, rules, workspace_, now).more;
            }));
        }
        return lengths;
    }

  private:
    std::unique_ptr<ratecoord::segment::Segment> segment_;
    ratecoord::core::Workspace workspace_;
};

struct Lengths {
    double longest = 0;  ///< median over the rounds of each round's longest commit
    double whole = 0;
};

template <class Begin>
Lengths measure_moves(Mover& mover, Begin&& begin) {
    std::vector<double> longest;
    std::vector<double> whole;
    for (int i = 0; i < 20; ++i) {
        auto lengths = std::vector{mover.commit(
            [&](State& state, const Rules& rules, Instant now) { begin(state, rules, now, i); })};
        for (const double length : mover.settle_plan()) lengths.push_back(length);
        longest.push_back(quantile(lengths, 1));
        whole.push_back(0);
        for (const double length : lengths) whole.back() += length;
    }
    return {median(longest), median(whole)};
}

void measure_commits(Stage& stage, const Line& line, Verdicts& verdicts) {
    const auto name = stage.fresh_name();
    const auto budget = create(name, line.limits, capacity);
    Queue queue(name, capacity);
    queue.fill_to(line.last.empty() ? capacity : capacity - 1, line.each);
    if (!line.last.empty()) queue.fill_to(capacity, line.last);
    Mover mover(name);
    const auto advance = measure_moves(mover, [](State& state, const Rules&, Instant, int) {
        ratecoord::core::begin_advance(state);
    });
    const auto pause =
        measure_moves(mover, [](State& state, const Rules& rules, Instant now, int round) {
            const Instant until = now + (round + 1) * 3600 * ratecoord::core::second_ns;
            ratecoord::core::pause(state, rules, ratecoord::PauseKind::manual,
                                   ratecoord::core::none, until, now);
        });
    verdicts.add("512 entries, " + line.what + ": longest commit of a replan", pause.longest / 1e3,
                 "ms", Bar::at_most(2));
    verdicts.add("  of an advance", advance.longest / 1e3, "ms", Bar::at_most(2));
    verdicts.add("  whole replan", pause.whole / 1e3, "ms", Bar::at_most(20));
    verdicts.add("  whole advance", advance.whole / 1e3, "ms");
}

int run() {
    Stage stage;
    Verdicts verdicts("ratecoord_long_queue");
    measure_reservation(stage, ordinary(), Bar::at_most(20), verdicts);
    measure_reservation(stage, worst(1), Bar::at_most(20), verdicts);
    measure_reservation(stage, worst(3), Bar::at_most(20), verdicts);
    measure_reservation(stage, worst(7), Bar{}, verdicts);
    measure_commits(stage, ordinary(), verdicts);
    measure_commits(stage, worst(3), verdicts);
    measure_commits(stage, worst(7), verdicts);
    return verdicts.finish();
}

}  // namespace
}  // namespace bench

int main() {
    return bench::run_program(bench::run);
}
