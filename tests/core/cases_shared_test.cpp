// SPDX-License-Identifier: Apache-2.0
//
// Public cases of the layers bucket and host-pause that need neither a venue nor a second process:
// several limits, several clients on one hand-turned clock.
#include <map>

#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

constexpr std::int64_t minute = 60 * s;
constexpr std::int64_t hour = 3600 * s;
constexpr std::int64_t day = 24 * hour;

ScratchBudget wide(std::vector<LimitRecord> limits) {
    ScratchBudget::Options options;
    options.capacity = Capacity{128, 512, 8, 8};
    return ScratchBudget(std::move(limits), options);
}

/// A client that always waits for one request, then sends it and asks for the next.
struct Worker {
    std::uint16_t slot = 0;
    std::uint64_t id = 0;  ///< its reservation, or 0
    Instant next = 0;      ///< when it acts
    std::uint32_t units = 1;
    std::uint64_t got = 0;
    std::vector<Drawn> drawn;
};

/// Lets the workers run until `end`; `cost(worker)` is what each asks for next.
template <class Cost>
void work(ScratchBudget& budget, std::vector<Worker>& workers, Instant end, Cost&& cost) {
    for (;;) {
        auto& w = *std::min_element(workers.begin(), workers.end(),
                                    [](const auto& a, const auto& b) { return a.next < b.next; });
        if (w.next >= end) return;
        const Instant now = w.next;
        Answer answer;
        if (w.id != 0) {
            answer = budget.confirm_at(w.id, now, w.slot);
        } else {
            w.units = cost(w);
            Request request = request_of({{0, w.units}}, far, Lane::normal, Intent::open, w.slot);
            answer = budget.ask(request, now);
        }
        if (answer.verdict == Verdict::reserved) {
            w.id = answer.id;
            w.next = answer.at;
            continue;
        }
        REQUIRE(answer.verdict == Verdict::granted);
        w.id = 0;
        w.got += w.units;
        w.drawn.push_back({answer.at, answer.valid_until, w.units});
        w.next = now + ms;
    }
}

std::vector<Drawn> all_of(const std::vector<Worker>& workers) {
    std::vector<Drawn> all;
    for (const Worker& w : workers) all.insert(all.end(), w.drawn.begin(), w.drawn.end());
    return all;
}

std::vector<Worker> crew(std::size_t count, Instant from) {
    std::vector<Worker> workers(count);
    for (std::size_t i = 0; i < count; ++i) {
        workers[i].slot = static_cast<std::uint16_t>(i + 1);
        workers[i].next = from + static_cast<Instant>(i) * ms;
    }
    return workers;
}

/// Asks for one unit of every limit as fast as allowed; what each limit gave.
std::vector<Drawn> as_fast_as_possible(ScratchBudget& budget, Instant from, Instant until,
                                       std::uint32_t units = 1) {
    std::vector<Drawn> drawn;
    Request request;
    for (std::uint16_t i = 0; i < budget.records().size(); ++i) {
        request.draws[request.count++] = {i, none, 0, units, 0, 0};
    }
    for (Instant now = from; now < until;) {
        const Answer answer = budget.ask(request, now);
        if (answer.verdict == Verdict::granted) {
            drawn.push_back({answer.at, answer.valid_until, units});
        } else {
            REQUIRE(answer.at > now);
            now = answer.at;
        }
    }
    return drawn;
}

}  // namespace

TEST_CASE("A01: six clients that each want the whole minute share it evenly and never exceed it") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget = wide({record});
    auto workers = crew(6, hour + 7 * s);
    std::uint32_t turn = 0;
    work(budget, workers, hour + 6 * minute, [&](const Worker&) { return 2 + (turn += 17) % 39; });
    REQUIRE_FALSE(broken(record, all_of(workers), 0));
    std::uint64_t sum = 0;
    for (const Worker& w : workers) sum += w.got;
    REQUIRE(sum >= 5 * 5900);
    for (const Worker& w : workers) REQUIRE(w.got >= sum / 12);
    // Six more join later; nobody is left out.
    auto late = crew(6, hour + 6 * minute + 30 * s);
    for (Worker& w : late) w.slot = static_cast<std::uint16_t>(w.slot + 6);
    for (Worker& w : workers) w.got = 0;
    workers.insert(workers.end(), late.begin(), late.end());
    work(budget, workers, hour + 11 * minute, [&](const Worker&) { return 2 + (turn += 17) % 39; });
    REQUIRE_FALSE(broken(record, all_of(workers), 0));
    for (const Worker& w : workers) REQUIRE(w.got >= 4 * 6000 / 24);
}

TEST_CASE("A10: 125 snapshots of weight 250 spread over six windows and let small calls through") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget = wide({record});
    std::map<std::int64_t, std::uint64_t> used;
    Request snapshot = request_of({{0, 250}}, far, Lane::normal, Intent::read, 1);
    const Instant start = hour + s;
    for (int i = 0; i < 125; ++i) used[aligned(budget.ask(snapshot, start).at, minute)] += 250;
    REQUIRE(used.size() == 6);
    for (const auto& [window, units] : used) REQUIRE(units <= 6000);
    const std::int64_t last = used.rbegin()->first;
    int early = 0;
    for (int i = 0; i < 20; ++i) {
        Request small = request_of({{0, 5}}, far, Lane::normal, Intent::read, 2);
        early += budget.ask(small, start + i * ms).at < last + minute ? 1 : 0;
    }
    REQUIRE(early == 20);
}

TEST_CASE("A12: five a second hold at the venue though messages take 5 or 60 ms") {
    const LimitRecord record = record_of(limit(LimitKind::rolling, 5, s, 1, 60 * ms));
    ScratchBudget budget({record});
    const auto sent = as_fast_as_possible(budget, hour, hour + 10'000 * 212 * ms);
    REQUIRE(sent.size() >= 10'000);
    std::vector<Instant> arrived;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        arrived.push_back(sent[i].at + (i % 2 == 0 ? 5 * ms : 60 * ms));
    }
    std::sort(arrived.begin(), arrived.end());
    for (std::size_t i = 5; i < arrived.size(); ++i) REQUIRE(arrived[i] - arrived[i - 5] >= s);
    // At least 80 % of the nominal rate.
    REQUIRE(sent.back().at - hour <= 10'000 * s / 4);
}

TEST_CASE("A19: a ban is recorded in full, whatever the caller's own cap") {
    ScratchBudget budget({record_of(limit(LimitKind::fixed, 6000, minute))});
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::ban, none, hour + 720 * s, hour));
    budget.freshen(hour);
    const Answer capped = budget.ask({{0, 1}}, hour, hour + minute);
    REQUIRE(capped.verdict == Verdict::paused);
    REQUIRE(capped.until == hour + 720 * s);
    for (const std::int64_t after : {1, 61, 283, 719}) {
        REQUIRE(budget.ask({{0, 1}}, hour + after * s).verdict == Verdict::paused);
    }
    REQUIRE(budget.ask({{0, 1}}, hour + 721 * s).verdict == Verdict::granted);
}

TEST_CASE("A21: what strangers spent is followed in this minute and held back in the next") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget({record});
    const Instant now = 4 * hour + 10 * s;
    const auto used = [&](std::uint64_t units, Instant at) {
        static_cast<void>(
            observe_used(budget.state(), budget.rules(), budget.workspace(), 0, units, at, at));
    };
    REQUIRE(budget.take(now, 20));
    used(5420, now + 50 * ms);
    int further = 0;
    while (budget.take(now + 60 * ms, 20)) ++further;
    REQUIRE(further == 29);
    int next = 0;
    while (budget.take(4 * hour + 61 * s, 20)) ++next;
    REQUIRE(next == 30);
    // Strangers use 3,000 in that minute: the header gives the rest back to us, not more.
    used(3000 + 600, 4 * hour + 62 * s);
    next = 0;
    while (budget.take(4 * hour + 63 * s, 20)) ++next;
    REQUIRE(next == 120);
}

TEST_CASE("A23: 640 connection attempts of eight clients take ten minutes and cost weight too") {
    const LimitRecord connects = record_of(limit(LimitKind::rolling, 300, 5 * minute, 20));
    const LimitRecord weight = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget = wide({connects, weight});
    std::vector<Drawn> drawn;
    Instant last = hour;
    for (int i = 0; i < 640; ++i) {
        Request request = request_of({{0, 1}, {1, 2}}, 0, Lane::normal, Intent::read,
                                     static_cast<std::uint16_t>(1 + i % 8));
        Answer answer = budget.ask(request, last);
        if (answer.verdict != Verdict::granted) answer = budget.ask(request, last = answer.at);
        REQUIRE(answer.verdict == Verdict::granted);
        drawn.push_back({answer.at, answer.valid_until, 1});
    }
    REQUIRE_FALSE(broken(connects, drawn, 0));
    REQUIRE(last - hour >= 10 * minute);
    REQUIRE(last - hour <= 12 * minute);
    REQUIRE(budget.state().cells()[1].lane[0].used > 0);
}

TEST_CASE("A24: capacity and refill together stay within the aligned window at every phase") {
    for (const std::uint64_t burst : {1u, 300u, 1000u}) {
        const LimitRecord record = record_of(limit(LimitKind::rolling, 1200, minute, burst));
        for (std::int64_t phase = 0; phase < minute; phase += 7 * s) {
            ScratchBudget budget({record});
            const auto drawn = as_fast_as_possible(budget, hour + phase, hour + phase + 3 * minute);
            std::map<std::int64_t, std::uint64_t> used;
            for (const Drawn& d : drawn) used[aligned(d.at, minute)] += d.units;
            for (const auto& [window, units] : used) REQUIRE(units <= 1200);
        }
    }
    // A counter of the aligned window may use the full figure.
    ScratchBudget fixed({record_of(limit(LimitKind::fixed, 6000, minute))});
    REQUIRE(as_fast_as_possible(fixed, hour, hour + 3 * minute, 100).size() == 180);
}

TEST_CASE("A32: a queue that fills in a pause stays bounded, keeps room for cancels, bursts not") {
    const LimitRecord record = record_of(limit(LimitKind::fixed, 6000, minute));
    ScratchBudget budget = wide({record});
    const Instant end = hour + 120 * s;
    REQUIRE(pause(budget.state(), budget.rules(), PauseKind::cooldown, none, end, hour));
    std::map<Verdict, int> answers;
    for (int i = 0; i < 8 * 500; ++i) {
        // Every second call has a deadline inside the pause.
        const Instant deadline = i % 2 == 0 ? hour + minute : end + 10 * minute;
        Request request = request_of({{0, 10}}, deadline, Lane::normal, Intent::open,
                                     static_cast<std::uint16_t>(1 + i % 8));
        ++answers[budget.ask(request, hour + i * ms).verdict];
    }
    REQUIRE(answers[Verdict::paused] == 2000);
    REQUIRE(answers[Verdict::reserved] == 448);
    REQUIRE(answers[Verdict::calendar_full] == 2000 - 448);
    for (int i = 0; i < 5; ++i) {
        Request cancel = request_of({{0, 1}}, far, Lane::critical, Intent::close, 9);
        REQUIRE(budget.ask(cancel, hour + 10 * s).verdict == Verdict::reserved);
    }
    std::uint64_t first_minute = 0;
    Instant before = 0;
    for (const Entry& entry : budget.state().entries()) {
        REQUIRE(entry.at >= end);
        REQUIRE(entry.at > before);  // one by one, not in one burst
        before = entry.at;
        if (entry.at < end + minute) first_minute += entry.units[0];
    }
    REQUIRE(first_minute <= 6000);
    REQUIRE(first_minute >= 4000);
}

TEST_CASE("C24: after a suspend the pause is over and a bucket is full at most") {
    ScratchBudget budget({record_of(limit(LimitKind::bucket, 10, s, 20))});
    REQUIRE(budget.take(hour, 10));
    REQUIRE(
        pause(budget.state(), budget.rules(), PauseKind::cooldown, none, hour + 3600 * s, hour));
    budget.freshen(hour);
    const Answer waits = budget.ask({{0, 1}}, hour + s, far);
    REQUIRE_FALSE(budget.take(hour + 60 * s));
    // Boot time ran through the suspend.
    const Instant awake = hour + 60 * s + 10 * hour;
    REQUIRE(budget.confirm_at(waits.id, awake).verdict == Verdict::gone);
    REQUIRE(budget.take(awake, 17));
    REQUIRE_FALSE(budget.take(awake));
    // Only a clock that stood still would release it later; never earlier.
    REQUIRE_FALSE(
        pause(budget.state(), budget.rules(), PauseKind::cooldown, none, awake - 1, awake));
}

TEST_CASE("D23: two windows at once hold at every phase, and the wait is the longest of them") {
    struct Row {
        LimitDefinition a;
        LimitDefinition b;
        std::uint32_t units;
        std::int64_t run;
    };
    const auto rolling = LimitKind::rolling;
    const auto fixed = LimitKind::fixed;
    for (const Row& row :
         {Row{limit(rolling, 1, 7 * s), limit(rolling, 5, minute), 1, 10 * minute},
          Row{limit(fixed, 1, 7 * s), limit(fixed, 5, minute), 1, 10 * minute},
          Row{limit(rolling, 10, 10 * s), limit(fixed, 100, day), 1, day + hour},
          Row{limit(fixed, 6000, minute), limit(fixed, 25'000, 5 * minute), 100, 30 * minute},
          Row{limit(fixed, 100, 10 * s), limit(fixed, 2000, day), 5, day + hour}}) {
        for (const std::int64_t phase : {std::int64_t{0}, 3 * s, 29 * s, 59 * s}) {
            ScratchBudget budget({record_of(row.a), record_of(row.b)});
            const auto drawn =
                as_fast_as_possible(budget, day + phase, day + phase + row.run, row.units);
            for (const LimitRecord& record : budget.records()) {
                REQUIRE_FALSE(broken(record, drawn, 0));
            }
            REQUIRE(drawn.size() >= 40);
        }
    }
    ScratchBudget budget({record_of(limit(fixed, 1, 7 * s)), record_of(limit(fixed, 5, minute))});
    const auto first = as_fast_as_possible(budget, 840 * s, 900 * s);  // both windows begin
    REQUIRE(first.size() == 5);
    REQUIRE(first.back().at == 840 * s + 28 * s + 250 * ms);
}

TEST_CASE("D24: a day is the UTC day, once, and what is left is never below zero") {
    const std::int64_t quota = 200'000;
    ScratchBudget budget({record_of(limit(LimitKind::fixed, quota, day))});
    const Instant midnight = 3 * day;
    REQUIRE(budget.take(midnight - 2 * hour, 199'990));
    const auto left = [&](Instant now) {
        const Cell& cell = budget.state().cells()[0];
        return available(budget.head(), budget.rules().of(cell), cell, 0, now);
    };
    int today = 0;
    for (int i = 0; i < 20; ++i) {
        const Answer answer = budget.ask({{0, 1}}, midnight - 300 * ms, far);
        today += answer.at < midnight ? 1 : 0;
        if (answer.at >= midnight) REQUIRE(answer.at == midnight + 250 * ms);
    }
    REQUIRE(today == 10);
    REQUIRE(left(midnight - 100 * ms) == 0);
    REQUIRE(left(midnight) == quota);
    REQUIRE(budget.take(midnight + s, 150'000));
    // The clock steps back over midnight: the day that was counted is not granted again.
    static_cast<void>(renew_offset(budget.state(), budget.rules(), -3 * s, midnight + s));
    budget.freshen(midnight + s);
    REQUIRE(left(midnight + s) == 0);
    const Answer next = budget.ask({{0, 1}}, midnight + s, far);
    REQUIRE(next.at == midnight + 3 * s + 250 * ms);
}
