// SPDX-License-Identifier: Apache-2.0
#include "herd/command_line.hpp"

#include <CLI/CLI.hpp>

#include "herd/options.hpp"

namespace herd {

namespace {

constexpr const char* description =
    "Starts many processes at once that send requests to one HTTP venue, through a shared budget "
    "or\n"
    "each with a private retry loop, and says what the venue made of it.";

constexpr const char* footer =
    "LIMIT      as for ratectl: NAME=QUOTA/WINDOW[,kind=fixed|rolling|bucket|spacing][,burst=N]\n"
    "           [,slack=50ms][,per=account][,reserve=5%]\n"
    "MIX        COST:SHARE,...; a COST of several limits is joined by '+':\n"
    "           weight=1:50,weight=5:30,weight=2+orders=1:20\n"
    "DURATION   a number with ns, us, ms, s, m, h or d, such as 0.5s or 1m30s\n"
    "\n"
    "Exit       0 done, 1 a worker failed or a call was given up, 2 usage\n"
    "\n"
    "Example    herd --venue http://127.0.0.1:8080/x --workers 100 --budget demo \\\n"
    "               --limit weight=10/1s,kind=fixed,slack=50ms --full --log calls.jsonl";

CLI::Option* add(CLI::App& app, const std::string& name, std::string& target,
                 const std::string& text, const std::string& type) {
    return app.add_option(name, target, text)->type_name(type);
}

CLI::Option* add_many(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                      const std::string& text, const std::string& type) {
    // One value an option, so that nothing is swallowed by accident.
    return app.add_option(name, target, text)->type_name(type)->allow_extra_args(false);
}

void declare_herd(CLI::App& app, RawOptions& raw) {
    add(app, "--venue", raw.venue, "Where requests go", "URL")->required();
    add(app, "--workers", raw.workers, "Processes (1)", "N");
    add(app, "--threads", raw.threads, "Threads of each process (1)", "N");
    add(app, "--calls", raw.calls, "Calls of each thread (1, or no end with --duration)", "N");
    add(app, "--duration", raw.duration, "Stop asking after this long", "DURATION");
    add(app, "--start-at-window", raw.start_at_window, "Start on a boundary of this UTC window",
        "DURATION");
    add(app, "--timeout", raw.timeout, "A call is given up after this long (60s)", "DURATION");
    add(app, "--reply-timeout", raw.reply_timeout, "A request without reply has failed (10s)",
        "DURATION");
    add(app, "--run-for", raw.run_for, "Everything ends after this long (10m)", "DURATION");
    add(app, "--seed", raw.seed, "Seed of every draw (1)", "N");
    add(app, "--log", raw.log, "Write a JSON line for every call", "FILE");
    app.add_flag("--json", raw.json, "Print the summary as JSON");
}

void declare_requests(CLI::App& app, RawOptions& raw) {
    add_many(app, "--cost", raw.costs, "What a request costs; repeatable (weight=1)", "NAME=UNITS");
    add(app, "--mix", raw.mix, "Several costs with shares, instead of --cost", "MIX");
    add(app, "--mix-per", raw.mix_per, "Draw for each call, or one for each worker (call)",
        "call|worker");
    add_many(app, "--keys", raw.keys, "Keys of a limit, spread over the workers; repeatable",
             "NAME=KEY,...");
    add(app, "--label-header", raw.label_header, "Send the worker's label in this header",
        "HEADER");
    add(app, "--cost-header", raw.cost_header, "Send NAME=UNITS,... in this header", "HEADER");
    add(app, "--key-header", raw.key_header, "Send the key in this header", "HEADER");
    app.add_flag("--cost-in-query", raw.cost_in_query, "Send NAME=UNITS as query parameters");
}

void declare_budget(CLI::App& app, RawOptions& raw) {
    add(app, "--budget", raw.budget, "Budget that every request is drawn from", "NAME");
    add_many(app, "--limit", raw.limits, "Create the budget with this limit; repeatable", "LIMIT");
    add(app, "--clients", raw.clients, "Creation: client slots", "N");
    add(app, "--reservations", raw.reservations, "Creation: size of the calendar", "N");
    app.add_flag("--full", raw.full, "Creation: nothing was sent lately, start full");
    add(app, "--profile", raw.profile, "The budget reads replies by this profile, counts included",
        "NAME|FILE");
    app.add_flag("--log-moves", raw.log_moves, "Log when a waiter learns its new instant");
}

void declare_private_loop(CLI::App& app, RawOptions& raw) {
    app.add_flag("--no-budget", raw.no_budget, "No budget: each process has its own retry loop");
    add(app, "--retry", raw.retry, "How it backs off; 'off' never retries (full)",
        "full|equal|decorrelated|none|off");
    add(app, "--base", raw.base, "First window of the backoff, in seconds (0.5)", "SECONDS");
    add(app, "--cap", raw.cap, "Longest window of the backoff, in seconds (30)", "SECONDS");
    app.add_flag("--obey-retry-after", raw.obey_retry_after, "Add the backoff to the named wait");
    add(app, "--private-bucket", raw.private_bucket, "A token bucket in each process",
        "UNITS/WINDOW[,burst=N]");
}

}  // namespace

RawOptions read_command_line(int argc, const char* const* argv) {
    CLI::App app{description, "herd"};
    app.footer(footer);
    RawOptions raw;
    declare_herd(app, raw);
    declare_requests(app, raw);
    declare_budget(app, raw);
    declare_private_loop(app, raw);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        throw HelpText{app.help()};
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string("cannot read the command line: ") + error.what(),
                         "see 'herd --help'");
    }
    return raw;
}

}  // namespace herd
