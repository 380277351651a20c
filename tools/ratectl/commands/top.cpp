// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <clocale>

#include "grammar/duration.hpp"
#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/top/live.hpp"
#include "ratectl/top/screen.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::in_quotes;

const std::string what = "watch budgets";

Failure usage(std::string cause) {
    return usage_failure(what, std::move(cause), "see 'ratectl top --help'");
}

class Top : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.optional_arguments("NAME", names_, "only these budgets; all if none is given");
        parameters.option("--interval", "DURATION", interval_,
                          "how often to look, 50ms to 60s; 500ms if not given");
        parameters.option("--sort", "FIELD", sort_,
                          "sort the clients by permits (if not given), units, waiting, refused, "
                          "age, label or pid");
        parameters.option("--filter", "TEXT", filter_,
                          "only budgets, limits, keys, states and clients that contain it");
        parameters.flag("--once", once_, "print one frame as text and end; the same as --count 1");
        parameters.option("--count", "COUNT", count_,
                          "print so many frames as text, an interval apart, and end");
        parameters.remark("On the screen: q quits, ? explains the keys.");
    }

    Done run(Console& console) override {
        auto options = read();
        if (!options) return tl::unexpected(options.error());
        for (const auto& name : names_) {
            const auto there = look_at("watch " + in_quotes(name), name);
            if (!there) return tl::unexpected(there.error());
        }
        std::setlocale(LC_CTYPE, "");  // how wide characters are, and whether blocks can be shown
        options->view.unicode = locale_is_unicode();
        if (options->count == 0) {
            const auto ended = on_the_screen(*options, console);
            if (!ended) return tl::unexpected(ended.error());
            if (*ended) return **ended;
            console.colour = false;  // nor can it be trusted with colours
            console.narrate("ratectl: TERM names no terminal that can place text; printing lines");
        }
        return run_in_lines(*options, console);
    }

  private:
    Outcome<LiveOptions> read() const {
        LiveOptions options;
        options.names = names_;
        const auto interval = ratecoord::grammar::parse_duration("--interval", interval_);
        if (!interval) return tl::unexpected(usage(interval.error().message));
        options.view.interval_ns = interval->count();
        if (options.view.interval_ns < interval_least_ns ||
            options.view.interval_ns > interval_most_ns) {
            return tl::unexpected(
                usage("--interval " + in_quotes(interval_) + " is not within 50ms and 60s"));
        }
        const auto sort = parse_top_sort(sort_);
        if (!sort) {
            return tl::unexpected(
                usage("--sort " + in_quotes(sort_) + " is none of " + std::string(top_sorts)));
        }
        options.view.sort = *sort;
        options.view.filter = filter_;
        if (!count_.empty()) {
            const auto count = ratecoord::grammar::parse_number("--count", count_);
            if (!count) return tl::unexpected(usage(count.error().message));
            if (*count == 0) return tl::unexpected(usage("--count is 0; at least 1"));
            options.count = *count;
        }
        if (once_) options.count = 1;
        return options;
    }

    static tl::expected<std::optional<ExitCode>, Failure> on_the_screen(const LiveOptions& options,
                                                                        const Console& console) {
        if (console.json) {
            return tl::unexpected(usage("--json needs --once or --count"));
        }
        if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
            return tl::unexpected(usage_failure(what, "standard input or output is not a terminal",
                                                "add --once or --count"));
        }
        return run_full_screen(options, console.colour);
    }

    std::vector<std::string> names_;
    std::string interval_ = "500ms";
    std::string sort_ = "permits";
    std::string filter_;
    bool once_ = false;
    std::string count_;
};

}  // namespace

std::unique_ptr<Command> make_top() {
    return std::make_unique<Top>();
}

}  // namespace ratectl
