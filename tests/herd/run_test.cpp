// SPDX-License-Identifier: Apache-2.0
//
// Real workers against a real venue. Counts only: how long things take is the demo's business.
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "demo/judge.hpp"
#include "demo/stage.hpp"
#include "support/catch.hpp"

using namespace demo;

namespace {

std::string programs() {
    const char* const directory = std::getenv("RATECOORD_BIN_DIR");
    if (directory == nullptr) throw std::runtime_error("RATECOORD_BIN_DIR is not set");
    return directory;
}

struct Outcome {
    HerdReport said;
    HerdLog log;
    std::vector<Arrival> arrivals;
    Counts counts;
};

Outcome run(const std::vector<std::string>& venue_options,
            const std::vector<std::string>& herd_options) {
    Signals signals;
    const Workspace workspace("test", "", programs());
    Venue venue(signals, workspace, venue_options);
    Herd herd(signals, workspace, venue, herd_options);
    Outcome outcome;
    outcome.said = herd.wait([](double, const VenueNow&) { return true; });
    outcome.log = herd.log();
    outcome.arrivals = venue.close();
    outcome.counts = count(outcome.arrivals, outcome.said.started_utc_ns);
    return outcome;
}

}  // namespace

TEST_CASE("four private workers make five calls each, and both logs have them all") {
    const Outcome outcome =
        run({"--limit", "weight=100000/1s"}, {"--workers", "4", "--calls", "5", "--no-budget"});
    CHECK(outcome.counts.calls == 20);
    CHECK(outcome.counts.accepted == 20);
    CHECK(outcome.counts.senders == 4);
    CHECK(outcome.log.sent.size() == 20);
    CHECK(outcome.said.least_per_worker == 5);
    CHECK(outcome.said.most_per_worker == 5);
    CHECK(outcome.said.gave_up == 0);
}

TEST_CASE("private workers that are refused try again until all calls are through") {
    const Outcome outcome =
        run({"--limit", "weight=5/1s"}, {"--workers", "4", "--calls", "2", "--no-budget", "--base",
                                         "0.05", "--cap", "0.2", "--seed", "3"});
    CHECK(outcome.counts.accepted == 8);
    CHECK(outcome.counts.rejected > 0);
    CHECK(outcome.log.sent.size() == outcome.counts.calls);
}

TEST_CASE("without retries a refusal is given up") {
    const Outcome outcome =
        run({"--limit", "weight=1/1h"}, {"--workers", "4", "--no-budget", "--retry", "off"});
    CHECK(outcome.counts.calls == 4);
    CHECK(outcome.said.gave_up == outcome.counts.rejected);
    CHECK(outcome.counts.rejected >= 3);
}

TEST_CASE("the cost, the label and the key of a request reach the venue") {
    const Outcome outcome =
        run({"--limit", "weight=1000/1h", "--limit", "orders=100/1h,per=X-Account"},
            {"--workers", "4", "--no-budget", "--mix", "weight=7+orders=2:1", "--keys",
             "orders=acct:a,acct:b", "--key-header", "X-Account", "--cost-header", "X-Cost"});
    REQUIRE(outcome.arrivals.size() == 4);
    for (const Arrival& arrival : outcome.arrivals) {
        CHECK(arrival.units("weight") == 7);
        CHECK(arrival.units("orders") == 2);
        const bool even = arrival.label == "w0" || arrival.label == "w2";
        CHECK(arrival.account == (even ? "acct:a" : "acct:b"));
    }
}

TEST_CASE("four workers of two threads share a budget and are never refused") {
    const Outcome outcome =
        run({"--limit", "weight=20/1s"},
            {"--workers", "4", "--threads", "2", "--calls", "5", "--budget", "demo", "--limit",
             "weight=20/1s,kind=fixed,slack=250ms", "--full", "--start-at-window", "1s"});
    CHECK(outcome.counts.calls == 40);
    CHECK(outcome.counts.rejected == 0);
    CHECK(outcome.counts.senders == 4);
    CHECK(outcome.log.sent.size() == 40);
    for (const Sent& sent : outcome.log.sent) CHECK(sent.granted_ns >= sent.at_ns);
}

TEST_CASE("a 429 that one worker gets is a pause for all, and every call comes through") {
    const Outcome outcome =
        run({"--limit", "weight=1000/1s", "--inject", "at=3 status=429 retry_after=1s"},
            {"--workers", "4", "--calls", "5", "--budget", "demo", "--limit",
             "weight=1000/1s,kind=fixed,slack=250ms", "--full", "--log-moves"});
    CHECK(outcome.counts.accepted == 20);
    CHECK(outcome.counts.rejected >= 1);
    CHECK(outcome.said.gave_up == 0);
}

TEST_CASE("workers that cannot have their budget never start") {
    std::string complaint;
    try {
        run({"--limit", "weight=1000/1s"}, {"--workers", "4", "--budget", "absent"});
    } catch (const std::runtime_error& error) {
        complaint = error.what();
    }
    CAPTURE(complaint);
    CHECK(complaint.find("cannot start") != std::string::npos);
}
