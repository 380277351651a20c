// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/limit_arguments.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/rehearsal.hpp"
#include "ratectl/reports/creation_report.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitDefinition;
using ratecoord::Snapshot;
using ratecoord::grammar::format_limit;
using ratecoord::grammar::in_quotes;

class Create : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.option("--profile", "NAME|FILE", profile_,
                          "the limits of this profile; --limit replaces or adds to them");
        declare_limits(parameters, limits_);
        parameters.flag("--full", options_.full,
                        "start full: your word that nothing was sent to the venue lately");
        parameters.flag("--shadow", options_.shadow, "count and report, but hold nobody up");
        parameters.option("--clients", "COUNT", clients_,
                          "most processes attached at once; 128 if not given");
        parameters.option("--reservations", "COUNT", reservations_,
                          "most permits waited for; 512 if not given");
        parameters.option("--limits", "COUNT", limit_count_,
                          "most limits, with those added later; 32 if not "
                          "given");
        parameters.option("--keys", "COUNT", keys_,
                          "most keys of limits that are counted per key; 64 if not "
                          "given");
        parameters.option("--group", "GROUP", options_.group,
                          "share it with the members of this group");
        declare_dry_run(parameters, dry_run_);
    }

    Done run(Console& console) override {
        what_ = "create " + in_quotes(name_);
        const auto definitions = read_definitions();
        if (!definitions) return tl::unexpected(definitions.error());
        if (auto read = read_sizes(); !read) return tl::unexpected(read.error());
        options_.label = "ratectl";
        const auto existing = ratecoord::read_snapshot(name_);
        if (dry_run_ && existing) return tl::unexpected(exists(*existing, *definitions));
        const auto snapshot =
            dry_run_ ? rehearse_creation(name_, *definitions, options_) : create(*definitions);
        if (!snapshot) {
            return tl::unexpected(snapshot.error().code == ratecoord::ErrorCode::already_exists &&
                                          existing
                                      ? exists(*existing, *definitions)
                                      : budget_failure(what_, name_, snapshot.error()));
        }
        const CreationReport report{*snapshot, dry_run_};
        if (console.json) {
            console.print_document(render_json(report));
        } else {
            console.print(render_text(report));
        }
        return ExitCode::done;
    }

  private:
    Outcome<std::vector<LimitDefinition>> read_definitions() const {
        if (profile_.empty()) return read_limits(what_, limits_);
        const auto profile = load_profile(what_, profile_);
        if (!profile) return tl::unexpected(profile.error());
        std::vector<LimitDefinition> definitions = profile->limits();
        if (limits_.empty()) return definitions;
        const auto written = read_limits(what_, limits_);
        if (!written) return tl::unexpected(written.error());
        for (const auto& limit : *written) {
            const auto same =
                std::find_if(definitions.begin(), definitions.end(),
                             [&](const auto& other) { return other.name == limit.name; });
            if (same == definitions.end()) {
                definitions.push_back(limit);
            } else {
                *same = limit;
            }
        }
        return definitions;
    }

    Outcome<void> read_sizes() {
        struct Size {
            const char* name;
            const std::string& text;
            std::uint32_t& target;
        };
        const Size sizes[] = {{"--clients", clients_, options_.clients},
                              {"--reservations", reservations_, options_.reservations},
                              {"--limits", limit_count_, options_.limits},
                              {"--keys", keys_, options_.keys}};
        for (const auto& size : sizes) {
            if (size.text.empty()) continue;
            const auto count = ratecoord::grammar::parse_number(size.name, size.text);
            if (!count) return tl::unexpected(usage(count.error().message));
            if (*count > std::numeric_limits<std::uint32_t>::max()) {
                return tl::unexpected(usage(fmt::format("{} {} is larger than any count can be",
                                                        size.name, in_quotes(size.text))));
            }
            size.target = static_cast<std::uint32_t>(*count);
        }
        return {};
    }

    Failure usage(std::string cause) const {
        return usage_failure(what_, std::move(cause), "see 'ratectl create --help'");
    }

    ratecoord::Result<Snapshot> create(const std::vector<LimitDefinition>& definitions) const {
        const auto budget = ratecoord::Budget::create(name_, definitions, options_);
        if (!budget) return tl::unexpected(budget.error());
        return budget->snapshot();
    }

    // A live budget is never changed by creating it again; where they differ, both values are
    // named.
    Failure exists(const Snapshot& existing, const std::vector<LimitDefinition>& wanted) const {
        std::string differences;
        for (const auto& definition : wanted) {
            const auto& limits = existing.limits;
            const auto found = std::find_if(limits.begin(), limits.end(), [&](const auto& limit) {
                return limit.definition.name == definition.name;
            });
            if (found == limits.end()) {
                differences += "; it has no limit " + in_quotes(definition.name);
                continue;
            }
            auto before = found->definition;
            auto after = definition;
            if (after.burst == 0) before.burst = 0;  // the default was meant, whatever it is
            if (after == before) continue;
            differences +=
                fmt::format("; its limit is {}, not {}", format_limit(before), format_limit(after));
        }
        return {.what = what_,
                .cause = "it exists already" +
                         (differences.empty() ? std::string(", with these limits") : differences),
                .hint = differences.empty()
                            ? fmt::format("see 'ratectl show {}'", name_)
                            : fmt::format("'ratectl set {} --limit ...' changes it for every "
                                          "process",
                                          name_),
                .code = "already_exists",
                .exit = ExitCode::refused,
                .retry_after_ns = std::nullopt};
    }

    std::string name_;
    std::string profile_;
    std::vector<std::string> limits_;
    std::string clients_;
    std::string reservations_;
    std::string limit_count_;
    std::string keys_;
    ratecoord::OpenOptions options_;
    std::string what_;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_create() {
    return std::make_unique<Create>();
}

}  // namespace ratectl
