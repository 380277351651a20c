// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "grammar/number.hpp"
#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

class Destroy : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.flag(
            "--in-use", in_use_,
            "also while clients are attached: they get no permit until it is made anew");
        parameters.flag("--unusable", unusable_,
                        "also a file that fails its checks, or that another boot left behind");
        declare_dry_run(parameters, dry_run_);
    }

    Done run(Console& console) override {
        what_ = "destroy " + ratecoord::grammar::in_quotes(name_);
        Change change;
        change.budget = name_;
        change.text = "destroyed; saved stops are kept";
        const auto before = ratecoord::read_snapshot(name_);
        if (before) {
            if (auto refused = refusal(*before)) return tl::unexpected(*std::move(refused));
            change.before = before->state;
        } else if (dry_run_ && !is_removable(before.error())) {
            return tl::unexpected(budget_failure(what_, name_, before.error()));
        }
        if (!dry_run_) {
            const auto done = ratecoord::destroy(name_, unusable_);
            if (!done) return tl::unexpected(budget_failure(what_, name_, done.error()));
        }
        return print_change(console, "destroy", dry_run_, std::move(change));
    }

  private:
    bool is_removable(const ratecoord::Error& error) const {
        return unusable_ && (error.code == ratecoord::ErrorCode::segment_corrupt ||
                             error.code == ratecoord::ErrorCode::version_mismatch);
    }

    std::optional<Failure> refusal(const ratecoord::Snapshot& snapshot) const {
        const auto attached = std::count_if(snapshot.clients.begin(), snapshot.clients.end(),
                                            [](const auto& client) { return client.alive; });
        if (in_use_ || attached == 0) return std::nullopt;
        return Failure{
            .what = what_,
            .cause = fmt::format(
                "{} attached; they would get no permit any more",
                attached == 1 ? "1 client is" : fmt::format("{} clients are", attached)),
            .hint = fmt::format("see 'ratectl clients {}'; --in-use does it anyway", name_),
            .code = "in_use",
            .exit = ExitCode::refused,
            .retry_after_ns = std::nullopt};
    }

    std::string name_;
    std::string what_;
    bool in_use_ = false;
    bool unusable_ = false;
    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_destroy() {
    return std::make_unique<Destroy>();
}

}  // namespace ratectl
