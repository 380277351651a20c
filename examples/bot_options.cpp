// SPDX-License-Identifier: Apache-2.0
#include "bot_options.hpp"

#include <CLI/CLI.hpp>

namespace bot {

std::optional<Options> read_options(int argc, const char* const* argv, const std::string& program,
                                    int& status) {
    Options options;
    std::uint64_t timeout_ms = 10'000;
    CLI::App app{
        "Reads, places and cancels at a venue that speaks as Binance Spot does, by a profile.",
        program};
    app.footer(
        "Writes one JSON line per permit, send, reply and final state. Needs the operations "
        "depth,\n"
        "order, order-status and cancel in the profile. Requests are not signed: for orders the "
        "venue\n"
        "is mock-venue, or one behind a signing proxy.\n"
        "Exit status: 0 done, 1 failed, 2 usage, 3 halted.");
    app.add_option("--venue", options.venue, "http://HOST[:PORT], https where built with TLS")
        ->required();
    app.add_option("--profile", options.profile, "Profile: a name, or a path with '/' or .toml")
        ->required();
    app.add_option("--budget", options.budget, "Budget to share; the profile's name if not given");
    app.add_option("--requests", options.requests, "Reads of the order book");
    app.add_option("--orders", options.orders, "Orders; half of them are cancelled again");
    app.add_option("--seed", options.seed, "Seed of what is done in which order");
    app.add_option("--log", options.log, "File the lines are appended to; standard output if none");
    app.add_option("--ledger", options.ledger,
                   "Order ledger: a bot that was killed finds its orders there");
    app.add_option("--symbol", options.symbol, "What is traded");
    app.add_option("--account", options.account, "Key of the limits per account");
    app.add_option("--timeout-ms", timeout_ms, "How long a reply is waited for")
        ->check(CLI::Range(1, 600'000));
    app.add_flag("--full", options.is_full_start,
                 "Nothing was sent lately: start with full limits");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        status = app.exit(error) == 0 ? 0 : 2;
        return std::nullopt;
    }
    options.timeout = std::chrono::milliseconds(timeout_ms);
    return options;
}

}  // namespace bot
