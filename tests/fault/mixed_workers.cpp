// SPDX-License-Identifier: Apache-2.0
#include "fault/mixed_workers.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "cli/program.hpp"
#include "support/child_process.hpp"
#include "support/limits.hpp"

namespace ratecoord::testing {
namespace {

constexpr std::uint64_t strict_quota = 300;
constexpr int endless = -1;

LimitDefinition rule(std::uint64_t quota) {
    auto limit = rolling("orders", quota, 40, rule_window);
    limit.slack = rule_slack;
    return limit;
}

/// One life: a budget that is opened again where it was taken away.
class Life {
  public:
    Life(MixedLedger& ledger, int number, unsigned seed)
        : ledger_(ledger), number_(number), random_(seed) {}

    bool goes_on() const { return ledger_.stop == 0 && ledger_.errors == 0; }
    unsigned any(unsigned below) { return static_cast<unsigned>(random_()) % below; }
    MixedLedger& ledger() { return ledger_; }
    int number() const { return number_; }

    /// Opens it, or waits until there is a slot. False where the storm is over.
    bool open() {
        budget_.reset();
        while (goes_on()) {
            auto opened = Budget::open("budget", {rule(widest_quota)}, mixed_sizes());
            if (opened) {
                budget_.emplace(std::move(*opened));
                if (price()) return true;
                continue;
            }
            if (!note(opened.error().code)) return false;
            ::sched_yield();
        }
        return false;
    }
    Budget& budget() { return *budget_; }
    const Cost& cost(unsigned units) { return costs_[units - 1]; }

    /// `call()` with whatever may befall it: false where the worker cannot go on.
    template <class Call>
    bool with(Call&& call) {
        auto result = call();
        if (result) {
            ++ledger_.calls;
            return true;
        }
        if (!note(result.error().code)) return false;
        return !is_gone(result.error().code) || open();
    }
    bool draw(unsigned units) {
        return with([&]() -> Result<void> {
            auto decision = budget_->try_acquire(cost(units));
            if (!decision) return tl::unexpected(decision.error());
            if (*decision) use(decision->permit(), units);
            return {};
        });
    }
    void use(Permit& permit, unsigned units) {
        ledger_.permits.add(permit, units, number_);
        ledger_.units += units;
    }
    bool note(ErrorCode code) {
        if (code == ErrorCode::deadline_exceeded || code == ErrorCode::busy ||
            code == ErrorCode::refused) {
            ++ledger_.busy;
            return true;
        }
        if (code == ErrorCode::segment_full) {
            ++ledger_.full;
            return true;
        }
        if (is_gone(code)) {
            ++ledger_.detached;
            return true;
        }
        ++ledger_.errors;
        int none = 0;
        ledger_.first_error.compare_exchange_strong(none, static_cast<int>(code));
        return false;
    }

  private:
    static bool is_gone(ErrorCode code) {
        return code == ErrorCode::detached || code == ErrorCode::no_such_budget ||
               code == ErrorCode::already_exists;
    }
    bool price() {
        costs_.clear();
        for (std::uint64_t units = 1; units <= 5; ++units) {
            auto made = patiently([&] { return budget_->cost({{"orders", units}}); });
            if (!made) return note(made.error().code) && false;
            costs_.push_back(*made);
        }
        return true;
    }

    MixedLedger& ledger_;
    int number_;
    std::mt19937 random_;
    std::optional<Budget> budget_;
    std::vector<Cost> costs_;
};

bool draw_some(Life& life, unsigned most) {
    for (auto left = 1 + life.any(most); left > 0 && life.goes_on(); --left) {
        if (!life.draw(1 + life.any(5))) return false;
    }
    return true;
}

bool wait_for_turn(Life& life) {
    const auto units = 1 + life.any(5);
    return life.with([&]() -> Result<void> {
        auto decision = life.budget().acquire(life.cost(units), 20ms);
        if (!decision) return tl::unexpected(decision.error());
        if (*decision) life.use(decision->permit(), units);
        return {};
    });
}

bool reserve_one(Life& life) {
    const auto units = 1 + life.any(5);
    const bool cancels = life.any(2) == 0;
    return life.with([&]() -> Result<void> {
        Reservation place;
        auto decision = life.budget().reserve(life.cost(units), BootClock::now() + 50ms, place);
        if (decision && place.id() != 0 && cancels) {
            auto cancelled = life.budget().cancel(place);
            if (!cancelled) return tl::unexpected(cancelled.error());
            return {};
        }
        while (decision && !*decision && place.id() != 0) {
            life.budget().wait(place, place.at());
            decision = life.budget().confirm(place);
        }
        if (!decision) return tl::unexpected(decision.error());
        if (*decision) life.use(decision->permit(), units);
        return {};
    });
}

bool fill_calendar(Life& life) {
    bool is_full = false;
    while (!is_full && life.goes_on()) {
        const bool fine = life.with([&]() -> Result<void> {
            Reservation dropped;
            auto decision = life.budget().reserve(life.cost(5), BootClock::now() + 1min, dropped);
            if (!decision) return tl::unexpected(decision.error());
            if (*decision) life.use(decision->permit(), 5);
            is_full = decision->refusal() == Refusal::calendar_full ||
                      decision->refusal() == Refusal::paused;
            return {};
        });
        if (!fine) return false;
    }
    ++life.ledger().full;
    // Left behind: what it reserved lapses.
    return life.open();
}

bool fork_one(Life& life) {
    ChildProcess child([&] { return draw_some(life, 20) ? 0 : 1; });
    const bool fine = draw_some(life, 20);
    child.wait();
    return fine;
}

[[noreturn]] void execute(int number, int draws) {
    std::string self = "/proc/self/exe";
    std::string role = program_role;
    ::setenv(number_variable, std::to_string(number).c_str(), 1);
    ::setenv(draws_variable, std::to_string(draws).c_str(), 1);
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nothing, STDOUT_FILENO);
    char* arguments[] = {self.data(), role.data(), nullptr};
    ::execv(self.c_str(), arguments);
    ::_exit(96);
}

bool spawn_one(Life& life) {
    ChildProcess child([&]() -> int { execute(life.number(), 20); });
    const bool fine = draw_some(life, 20);
    child.wait();
    return fine;
}

bool execute_oneself(Life& life) {
    if (!draw_some(life, 20)) return false;
    execute(life.number(), endless);
}

bool close_everything(Life& life) {
    if (!draw_some(life, 20)) return false;
    ::closefrom(3);
    // Something else gets the numbers.
    for (int i = 0; i < 20; ++i) static_cast<void>(::dup(2));
    while (life.goes_on()) {
        if (!draw_some(life, 20)) return false;
    }
    return true;
}

bool crowd_in(Life& life) {
    std::vector<Budget> crowd;
    while (life.goes_on()) {
        auto one = Budget::open("budget", {rule(widest_quota)}, mixed_sizes());
        if (!one) return life.note(one.error().code);
        crowd.push_back(std::move(*one));
        ++life.ledger().calls;
    }
    return true;
}

bool in_own_namespace(Life& life) {
    if (::unshare(CLONE_NEWPID) != 0) return draw_some(life, 100);
    ChildProcess inner([&] { return draw_some(life, 1'000) ? 0 : 1; });
    return inner.wait() != 1;
}

bool command(Life& life) {
    ++life.ledger().commands;
    switch (life.any(8)) {
        case 0:
            return life.with([&] { return life.budget().reset(true); });
        case 1:
            return life.with([&] {
                const std::vector limits = {rule(strict_quota)};
                return life.budget().set(limits);
            });
        case 2:
            return life.with([&] {
                const std::vector limits = {rule(widest_quota)};
                return life.budget().set(limits);
            });
        case 3:
            return life.with([&] { return life.budget().sweep(); });
        case 4:
            run_ratectl({"pause", "budget", "--for", "5ms", "--kind", "cooldown"});
            return true;
        case 5:
            run_ratectl({"reset", "budget", "--ignore-ban"});
            return true;
        default:
            return life.with(
                [&] { return life.budget().pause(PauseKind::cooldown, BootClock::now() + 5ms); });
    }
}

using Act = bool (*)(Life&);

struct Kind {
    const char* name;
    Act act;
};

constexpr std::array<Kind, worker_kinds> kinds = {{
    {"drawer", [](Life& life) { return draw_some(life, 500); }},
    {"waiter", wait_for_turn},
    {"reserver", reserve_one},
    {"filler", fill_calendar},
    {"forker", fork_one},
    {"spawner", spawn_one},
    {"executor", execute_oneself},
    {"closer", close_everything},
    {"crowd", crowd_in},
    {"namespaced", in_own_namespace},
    {"master", command},
}};

}  // namespace

const char* name_of(Worker kind) noexcept {
    return kinds[static_cast<std::size_t>(kind)].name;
}

LimitDefinition widest_rule() {
    return rule(widest_quota);
}

OpenOptions mixed_sizes() {
    return {.clients = 256, .reservations = 128, .full = false};
}

int live(Worker kind, MixedLedger& ledger, int number, unsigned seed) {
    ++ledger.lives[static_cast<std::size_t>(kind)];
    Life life(ledger, number, seed);
    while (life.open()) {
        bool fine = true;
        while (fine && life.goes_on()) fine = kinds[static_cast<std::size_t>(kind)].act(life);
        if (!fine) break;
    }
    return ledger.errors == 0 ? 0 : 1;
}

int draw_as_program(MixedLedger& ledger, int number, int draws) {
    Life life(ledger, number, static_cast<unsigned>(::getpid()));
    if (!life.open()) return 0;
    for (; draws != 0 && life.goes_on(); draws -= draws > 0 ? 1 : 0) {
        if (!life.draw(1 + life.any(5))) break;
    }
    return 0;
}

}  // namespace ratecoord::testing
