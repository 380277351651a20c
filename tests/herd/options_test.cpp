// SPDX-License-Identifier: Apache-2.0
#include "herd/options.hpp"

#include <utility>

#include "support/catch.hpp"

using namespace herd;

namespace {

Options options_of(std::vector<std::string> arguments) {
    std::vector<const char*> words{"herd", "--venue", "http://127.0.0.1:1/x"};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    return read_options(static_cast<int>(words.size()), words.data());
}

std::string complaint(std::vector<std::string> arguments) {
    try {
        options_of(std::move(arguments));
    } catch (const UsageError& error) {
        CHECK_FALSE(error.hint().empty());
        return error.what();
    }
    return "";
}

constexpr std::int64_t ms = 1'000'000;

}  // namespace

TEST_CASE("a herd with a budget is read as it is written") {
    const Options options = options_of({"--workers",
                                        "100",
                                        "--threads",
                                        "2",
                                        "--calls",
                                        "3",
                                        "--budget",
                                        "demo",
                                        "--limit",
                                        "weight=10/1s,kind=fixed,slack=50ms",
                                        "--limit",
                                        "orders=50/10s,per=account",
                                        "--full",
                                        "--cost",
                                        "weight=2",
                                        "--cost",
                                        "orders=1",
                                        "--keys",
                                        "orders=acct:a,acct:b",
                                        "--start-at-window",
                                        "1s",
                                        "--timeout",
                                        "1m30s",
                                        "--seed",
                                        "9",
                                        "--label-header",
                                        "X-Worker",
                                        "--log",
                                        "calls.jsonl",
                                        "--json"});
    CHECK(options.workers == 100);
    CHECK(options.threads == 2);
    CHECK(options.calls == 3);
    CHECK(options.has_budget());
    REQUIRE(options.budget.limits.size() == 2);
    CHECK(options.budget.limits[0].kind == ratecoord::LimitKind::fixed);
    CHECK(options.budget.limits[0].slack == std::chrono::milliseconds(50));
    CHECK(options.budget.limits[1].per == "account");
    CHECK(options.budget.full);
    REQUIRE(options.kinds.size() == 1);
    CHECK(options.kinds[0].cost == std::vector<CostPart>{{"weight", 2}, {"orders", 1}});
    REQUIRE(options.keys.size() == 1);
    CHECK(options.keys[0].keys == std::vector<std::string>{"acct:a", "acct:b"});
    CHECK(options.start_window_ns == 1'000 * ms);
    CHECK(options.timeout_ns == 90'000 * ms);
    CHECK(options.seed == 9);
    CHECK(options.label_header == "X-Worker");
    CHECK(options.json);
}

TEST_CASE("a budget that herd creates has room for all of its workers and threads") {
    const Options small = options_of({"--budget", "demo", "--limit", "weight=10/1s"});
    CHECK(small.budget.clients == 128);
    CHECK(small.budget.reservations == 512);
    const Options large = options_of(
        {"--workers", "400", "--threads", "5", "--budget", "demo", "--limit", "weight=10/1s"});
    CHECK(large.budget.clients > 400);
    CHECK(large.budget.reservations * 7 / 8 >= 2'000);
    const Options said = options_of(
        {"--budget", "demo", "--limit", "weight=10/1s", "--clients", "5", "--reservations", "20"});
    CHECK(said.budget.clients == 5);
    CHECK(said.budget.reservations == 20);
}

TEST_CASE("a private loop is read as it is written") {
    const Options options =
        options_of({"--no-budget", "--retry", "decorrelated", "--base", "0.25", "--cap", "2m",
                    "--private-bucket", "100/1s,burst=10", "--duration", "8s"});
    CHECK_FALSE(options.has_budget());
    CHECK(options.private_loop.retries);
    CHECK(options.private_loop.backoff.jitter == Jitter::decorrelated);
    CHECK(options.private_loop.backoff.base_ns == 250 * ms);
    CHECK(options.private_loop.backoff.cap_ns == 120'000 * ms);
    REQUIRE(options.private_loop.bucket.has_value());
    CHECK(options.private_loop.bucket->units == 100);
    CHECK(options.private_loop.bucket->window_ns == 1'000 * ms);
    CHECK(options.private_loop.bucket->burst == 10);
    CHECK(options.calls == 0);
    CHECK(options.duration_ns == 8'000 * ms);
    CHECK_FALSE(options_of({"--no-budget", "--retry", "off"}).private_loop.retries);
    CHECK(options_of({"--no-budget"}).private_loop.backoff.jitter == Jitter::full);
}

TEST_CASE("a mix has costs of one or several limits, with shares") {
    const Options options =
        options_of({"--budget", "demo", "--mix", "weight=1:50,weight=2+orders=1:30"});
    REQUIRE(options.kinds.size() == 2);
    CHECK(options.kinds[0].share == 50);
    CHECK(options.kinds[1].share == 30);
    CHECK(options.kinds[1].cost == std::vector<CostPart>{{"weight", 2}, {"orders", 1}});
    CHECK_FALSE(options.one_kind_per_worker);
    CHECK(options_of({"--budget", "demo", "--mix-per", "worker"}).one_kind_per_worker);
}

TEST_CASE("what cannot be used is refused with the option, the text and the reason") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
        {{}, "neither --budget nor --no-budget"},
        {{"--budget", "a", "--no-budget"}, "exclude each other"},
        {{"--budget", "a", "--retry", "full"}, "need --no-budget"},
        {{"--no-budget", "--full"}, "need --budget"},
        {{"--budget", "a", "--full"}, "say how a budget is created"},
        {{"--no-budget", "--workers", "0"},
         "cannot use --workers '0': it must be between 1 and 2000"},
        {{"--no-budget", "--workers", "x"}, "cannot use --workers 'x'"},
        {{"--no-budget", "--calls", "0"}, "cannot use --calls '0'"},
        {{"--no-budget", "--duration", "8"}, "cannot use --duration '8'"},
        {{"--no-budget", "--duration", "0s"}, "it must be longer than 0"},
        {{"--no-budget", "--retry", "some"}, "cannot use --retry 'some'"},
        {{"--no-budget", "--base", "40"}, "cannot use --base '40': it is longer than --cap"},
        {{"--no-budget", "--cap", "2d"}, "cannot use --cap '2d': it must be at most 1d"},
        {{"--no-budget", "--private-bucket", "0/1s"}, "cannot use --private-bucket '0/1s'"},
        {{"--no-budget", "--cost", "weight"}, "cannot use --cost 'weight'"},
        {{"--no-budget", "--cost", "weight=0"}, "must be at least 1"},
        {{"--no-budget", "--cost", "a=1", "--mix", "a=1:1"}, "--cost and --mix exclude"},
        {{"--no-budget", "--mix", "a=1"}, "cannot use --mix 'a=1': it has no ':SHARE'"},
        {{"--no-budget", "--mix", "a=1:0"}, "cannot use --mix '0'"},
        {{"--no-budget", "--mix-per", "day"}, "cannot use --mix-per 'day'"},
        {{"--no-budget", "--keys", "orders"}, "cannot use --keys 'orders'"},
        {{"--no-budget", "--keys", "orders=a,,b"}, "the key ''"},
        {{"--no-budget", "--keys", "orders=a\"b"}, "must be of letters"},
        {{"--no-budget", "--keys", "o=a", "--keys", "o=b"}, "the limit is named twice"},
        {{"--no-budget", "--label-header", "X Worker"}, "cannot use --label-header"},
        {{"--budget", "a", "--limit", "weight=5"}, "cannot use --limit 'weight=5'"},
        {{"--no-budget", "--venue", "ftp://h/"}, "cannot"},
        {{"--no-budget", "--speed", "9"}, "cannot read the command line"},
    };
    for (const auto& [arguments, expected] : rows) {
        CAPTURE(arguments);
        const std::string message = complaint(arguments);
        CAPTURE(message);
        CHECK(message.find(expected) != std::string::npos);
    }
}

TEST_CASE("a venue is a URL with a host") {
    for (const char* const url : {"127.0.0.1:80", "http://", "http:///x", "http://h/a b"}) {
        CAPTURE(url);
        const std::vector<const char*> words{"herd", "--venue", url, "--no-budget"};
        CHECK_THROWS_AS(read_options(4, words.data()), UsageError);
    }
}
