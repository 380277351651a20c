// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/command_line.hpp"

#include <CLI/CLI.hpp>

#include "mock-venue/options.hpp"

namespace mock_venue {

namespace {

constexpr const char* description =
    "An HTTP venue on loopback that counts, refuses and bans like a real one.\n"
    "It prints 'listening on http://127.0.0.1:PORT' and serves until SIGTERM.";

constexpr const char* footer =
    "LIMIT      NAME=QUOTA/WINDOW[,kind=fixed|rolling|bucket][,burst=CAPACITY][,per=ip|HEADER]\n"
    "ROUTE      'METHOD PATH NAME=UNITS...', or NAME@PARAMETER=UPTO:UNITS,UPTO:UNITS,...\n"
    "FAULT      'at=N|at_time=DURATION status=418 retry_after=2s'; without retry_after only\n"
    "           count=N requests get the status; extends=1 lets requests prolong the stop\n"
    "DURATION   a whole number and ns, us, ms, s, m, h or d\n"
    "\n"
    "A request costs 1 unit of each limit counted per address and 0 of each limit with a key,\n"
    "unless its route, a parameter (?weight=25) or 'X-Cost: weight=25,raw=1' says otherwise.\n"
    "\n"
    "Admin      GET /_mock/stats, GET /_mock/time, GET /_mock/orders,\n"
    "           POST /_mock/ban?seconds=N,\n"
    "           POST /_mock/limit?name=L&quota=N, POST /_mock/flush, POST /_mock/quit\n"
    "\n"
    "Example    mock-venue --limit weight=6000/1m --limit orders=100/10s,per=X-Account \\\n"
    "               --inject 'at=500 status=418 retry_after=2s' --log arrivals.jsonl";

void declare_server(CLI::App& app, RawOptions& raw) {
    app.add_option("--port", raw.port, "Port on 127.0.0.1; 0 picks a free one")
        ->type_name("PORT")
        ->capture_default_str();
    app.add_option("--port-file", raw.port_file, "Write the port there, too")->type_name("FILE");
    app.add_option("--log", raw.log_file, "Write a JSON line for every request")->type_name("FILE");
    app.add_option("--run-for", raw.run_for, "End by itself after so many seconds")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--account-header", raw.account_header, "Header that names the account")
        ->type_name("HEADER")
        ->capture_default_str();
    app.add_option("--label-header", raw.label_header, "Header that names the sender in the log")
        ->type_name("HEADER")
        ->capture_default_str();
}

void declare_limits(CLI::App& app, RawOptions& raw) {
    app.add_option("--preset", raw.preset, "Start from a built-in venue: binance-spot or bybit")
        ->type_name("NAME");
    // allow_extra_args(false): one value an option, so that nothing is swallowed by accident.
    app.add_option("--limit", raw.limits, "A limit; repeatable, replaces the preset's by name")
        ->type_name("LIMIT")
        ->allow_extra_args(false);
    app.add_option("--route", raw.routes, "What a route costs; repeatable, the first match holds")
        ->type_name("ROUTE")
        ->allow_extra_args(false);
    app.add_option("--count-rejected", raw.count_rejected, "1: requests answered 429 count (0)")
        ->type_name("0|1");
    app.add_option("--retry-after", raw.retry_after, "How a refusal names the wait (header)")
        ->type_name("header|date|none");
    app.add_option("--time-scale", raw.time_scale,
                   "Windows and bans are K times shorter than written")
        ->type_name("K")
        ->capture_default_str();
}

void declare_bans(CLI::App& app, RawOptions& raw) {
    app.add_option("--ban-after", raw.ban_after,
                   "The N-th rejection within one penalty bans; 0 never (0)")
        ->type_name("N");
    app.add_option("--ban-base", raw.ban_base, "Length of the first ban (2m)")
        ->type_name("DURATION");
    app.add_option("--ban-max", raw.ban_max, "Length of the longest ban (3d)")
        ->type_name("DURATION");
    app.add_option("--ban-forget", raw.ban_forget,
                   "A ban within this of the last is twice as long (1d)")
        ->type_name("DURATION");
    app.add_option("--ban-extends", raw.ban_extends, "1: a request during a ban doubles it (1)")
        ->type_name("0|1");
    app.add_option("--ban-grace", raw.ban_grace,
                   "Requests this soon after the ban do not, real time (250ms)")
        ->type_name("DURATION");
    app.add_option("--ban-status", raw.ban_status, "Status of a ban (418)")->type_name("STATUS");
}

void declare_faults(CLI::App& app, RawOptions& raw) {
    app.add_option("--inject", raw.injections, "A fault at a request or time; repeatable")
        ->type_name("FAULT")
        ->allow_extra_args(false);
    app.add_option("--latency", raw.latency, "Every answer takes this long")
        ->type_name("DURATION")
        ->capture_default_str();
    app.add_option("--slow-order", raw.slow_order,
                   "Share of order changes that are answered late, and by how much")
        ->type_name("P:DURATION");
    app.add_option("--lose-answer", raw.lose_answer,
                   "Share of order changes applied but never answered")
        ->type_name("P")
        ->capture_default_str();
    app.add_option("--lose-request", raw.lose_request,
                   "Share of order changes neither applied nor answered")
        ->type_name("P")
        ->capture_default_str();
    app.add_option("--fail-order", raw.fail_order,
                   "Share of order changes answered by a bare 504, applied or not at random")
        ->type_name("P")
        ->capture_default_str();
    app.add_option("--duplicate-order", raw.duplicate_order,
                   "Share of order changes handled twice, as if sent again on the way")
        ->type_name("P")
        ->capture_default_str();
    app.add_option("--hide-order", raw.hide_order,
                   "Share of placed orders that lookups miss for a while, and for how long")
        ->type_name("P:DURATION");
    app.add_option("--seed", raw.seed, "Seed of these draws")
        ->type_name("N")
        ->capture_default_str();
}

}  // namespace

RawOptions read_command_line(int argc, const char* const* argv) {
    CLI::App app{description, "mock-venue"};
    app.footer(footer);
    RawOptions raw;
    declare_server(app, raw);
    declare_limits(app, raw);
    declare_bans(app, raw);
    declare_faults(app, raw);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        throw HelpText{app.help()};
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string("cannot read the command line: ") + error.what(),
                         "see 'mock-venue --help'");
    }
    return raw;
}

}  // namespace mock_venue
