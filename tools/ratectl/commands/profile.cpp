// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/profile_actions.hpp"

namespace ratectl {

namespace {

constexpr std::array<std::string_view, 4> actions{"list", "show", "check", "import"};

class ProfileCommand : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("ACTION", action_, "list, show, check or import");
        parameters.optional_arguments(
            "PROFILE", subjects_,
            "show: one name or path; check: any number, without one all; import: exchange-info and "
            "the file that holds it, - for standard input");
        parameters.remark(
            "import exchange-info turns a venue's rateLimits into limits for a profile of your "
            "own.");
    }

    Done run(Console& console) override {
        if (action_ == "list") {
            if (!subjects_.empty()) return tl::unexpected(too_many());
            return list_profiles(console);
        }
        if (action_ == "show") {
            if (subjects_.empty()) return tl::unexpected(usage("no profile is named"));
            if (subjects_.size() > 1) return tl::unexpected(too_many());
            return show_profile(subjects_.front(), console);
        }
        if (action_ == "check") return check_profiles(subjects_, console);
        if (action_ == "import") {
            if (subjects_.empty()) return tl::unexpected(usage("no format is named"));
            if (subjects_.size() > 2) return tl::unexpected(too_many());
            return import_limits(subjects_.front(), subjects_.size() > 1 ? subjects_[1] : "-",
                                 console);
        }
        const auto nearest = nearest_of(action_, actions);
        return tl::unexpected(usage_failure(
            "run 'profile " + std::string(printable(action_)) + "'",
            "there is no such action; there are list, show, check and import",
            nearest.empty() ? "see 'ratectl profile --help'"
                            : "did you mean 'ratectl profile " + std::string(nearest) + "'?"));
    }

  private:
    Failure usage(std::string cause) const {
        return usage_failure("run 'profile " + action_ + "'", std::move(cause),
                             "see 'ratectl profile --help'");
    }
    Failure too_many() const {
        return usage("the argument " + ratecoord::grammar::in_quotes(subjects_.back()) +
                     " is one too many");
    }

    std::string action_;
    std::vector<std::string> subjects_;
};

}  // namespace

std::unique_ptr<Command> make_profile() {
    return std::make_unique<ProfileCommand>();
}

}  // namespace ratectl
