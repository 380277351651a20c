// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/instant.hpp"
#include "grammar/number.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::PauseKind;
using ratecoord::Snapshot;
using ratecoord::grammar::Assignment;
using ratecoord::grammar::in_quotes;

constexpr std::int64_t longest_ns = std::int64_t{3660} * 86'400 * 1'000'000'000;

class Pause : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.option("--for", "DURATION", for_, "how long from now, such as 30s");
        parameters.option("--until", "INSTANT", until_, "until when, such as 2027-03-02T10:02:00Z");
        parameters.option("--kind", "KIND", kind_, "manual (if not given), cooldown or ban");
        parameters.option("--key", "WHAT=KEY", key_,
                          "stop only those that draw on this key: account=main");
        declare_reason(parameters, reason_);
        declare_dry_run(parameters, dry_run_);
    }

    Done run(Console& console) override {
        what_ = "pause " + in_quotes(name_);
        auto end = read_end();
        if (!end) return tl::unexpected(end.error());
        auto kind = read_kind();
        if (!kind) return tl::unexpected(kind.error());
        std::optional<Assignment> key;
        if (!key_.empty()) {
            auto read = ratecoord::grammar::parse_assignment("--key", key_);
            if (!read) return tl::unexpected(usage(read.error().message));
            key = *std::move(read);
        }
        const auto before = look_at(what_, name_);
        if (!before) return tl::unexpected(before.error());
        if (key && !is_keyed_by(*before, key->name)) {
            return tl::unexpected(
                budget_failure(what_, name_,
                               {ratecoord::ErrorCode::unknown_name, 0,
                                "no limit of it is counted per " + in_quotes(key->name), ""}));
        }
        const bool longer = *end > standing_end(*before, *kind, key);
        bool changed = longer;
        if (!dry_run_) {
            const auto paused = apply(*end, *kind, key);
            if (!paused) return tl::unexpected(paused.error());
            changed = *paused;
        }
        return print_change(console, "pause", dry_run_,
                            describe(*before, *end, *kind, key, changed));
    }

  private:
    Failure usage(std::string cause) const {
        return usage_failure(what_, std::move(cause), "see 'ratectl pause --help'");
    }

    Outcome<std::int64_t> read_end() const {
        if (for_.empty() == until_.empty()) {
            return tl::unexpected(usage("give one of --for and --until"));
        }
        const auto clock = WallClock::read();
        if (!until_.empty()) {
            const auto at = ratecoord::grammar::parse_instant("--until", until_);
            if (!at) return tl::unexpected(usage(at.error().message));
            return in_range("--until " + in_quotes(until_), clock, clock.boot_ns(*at));
        }
        const auto length = ratecoord::grammar::parse_duration("--for", for_);
        if (!length) return tl::unexpected(usage(length.error().message));
        const auto end =
            length->count() > longest_ns ? INT64_MAX : clock.now_ns() + length->count();
        return in_range("--for " + in_quotes(for_), clock, end);
    }

    // The library holds instants for some decades; what is meant for ever is a halt.
    Outcome<std::int64_t> in_range(const std::string& option, const WallClock& clock,
                                   std::int64_t end) const {
        if (end <= clock.now_ns()) return tl::unexpected(usage(option + " is over already"));
        if (end - clock.now_ns() > longest_ns) {
            return tl::unexpected(
                usage(option + " is longer than 10 years; for good there is halt"));
        }
        return end;
    }

    Outcome<PauseKind> read_kind() const {
        if (!key_.empty() && !kind_.empty()) {
            return tl::unexpected(usage("a pause of one key has no --kind"));
        }
        if (kind_.empty()) return PauseKind::manual;
        for (const auto kind : {PauseKind::manual, PauseKind::cooldown, PauseKind::ban}) {
            if (name_of(kind) == kind_) return kind;
        }
        return tl::unexpected(
            usage("--kind " + in_quotes(kind_) + " is none of manual, cooldown and ban"));
    }

    static bool is_keyed_by(const Snapshot& snapshot, const std::string& per) {
        return std::any_of(snapshot.limits.begin(), snapshot.limits.end(),
                           [&](const auto& limit) { return limit.definition.per == per; });
    }

    static std::int64_t standing_end(const Snapshot& snapshot, PauseKind kind,
                                     const std::optional<Assignment>& key) {
        if (!key) return pause_end(snapshot, kind);
        for (const auto& limit : snapshot.limits) {
            if (limit.definition.per != key->name) continue;
            for (const auto& cell : limit.cells) {
                if (cell.key == key->value) return cell.paused_until;
            }
        }
        return 0;
    }

    Outcome<bool> apply(std::int64_t end, PauseKind kind,
                        const std::optional<Assignment>& key) const {
        auto budget = attach_budget(what_, name_);
        if (!budget) return tl::unexpected(budget.error());
        const auto until = boot_time(end);
        const auto paused = key ? budget->pause_key(key->name, key->value, until, reason_)
                                : budget->pause(kind, until, reason_);
        if (!paused) return tl::unexpected(budget_failure(what_, name_, paused.error()));
        return *paused;
    }

    Change describe(const Snapshot& before, std::int64_t end, PauseKind kind,
                    const std::optional<Assignment>& key, bool changed) const {
        const auto clock = WallClock::read();
        const auto standing = standing_end(before, kind, key);
        const auto until = changed ? end : standing;
        Change change;
        change.budget = name_;
        change.changed = changed;
        change.kind = key ? "" : name_of(kind);
        change.key = key_;
        change.until_ns = until;
        change.before = before.state;
        if (!dry_run_) change.after = state_now(name_);
        change.text = fmt::format("{}paused until {}, {} left{}", changed ? "" : "was already ",
                                  clock.text(until), format_left(clock.left_ns(until)),
                                  changed ? "" : "; a pause only grows");
        return change;
    }

    std::string name_;
    std::string for_;
    std::string until_;
    std::string kind_;
    std::string key_;
    std::string reason_;
    std::string what_;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_pause() {
    return std::make_unique<Pause>();
}

}  // namespace ratectl
