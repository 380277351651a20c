// SPDX-License-Identifier: Apache-2.0
//
// A thousand orders by four bots that are killed again and again, at a venue that loses, delays,
// hides, doubles and fails orders at random.
#include <curl/curl.h>

#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "retry/ledger_line.hpp"
#include "support/limits.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

#include <ratecoord/order_ledger.hpp>

using namespace ratecoord;
using namespace ratecoord::testing;
using nlohmann::json;

namespace {

constexpr int bots = 4;
constexpr int orders_each = 250;
constexpr int kills_each = 12;

constexpr const char* profile_text = R"(
schema = 1
name = "mock"
title = "mock-venue, whose orders are decided at once and hidden for at most 150 ms"
as_of = 2026-01-01
source = "docs/man/mock-venue.1.adoc"
confidence = "A"
settle = "100ms"
visible_within = "400ms"
order_id = { charset = "A-Za-z0-9", max = 36, unique = "open" }

[limits.weight]
kind = "fixed"
quota = 600000
window = "1m"

[operations.depth]
intent = "read"
cost.weight = 5

[operations.order-status]
intent = "read"
cost.weight = 4

[operations.order]
intent = "open"
cost.weight = 1

[operations.cancel]
intent = "close"
lane = "critical"
idempotent = true
cost.weight = 1

[[signals]]
name = "duplicate"
status = 400
body = "/code"
equals = [-2010]
text = "*duplicate order sent*"
text_in = "/msg"
action = "rejected"
duplicate = true
)";

struct Sum {
    int kills = 0;
    int halts = 0;
    int failures = 0;  ///< lives that ended in any other way
    std::map<std::string, int> states;
};

struct Storm {
    ScratchDirectory directory;
    std::string profile = directory.path() + "/mock.toml";
    std::string url;

    std::string ledger(int bot) const {
        return directory.path() + "/bot-" + std::to_string(bot) + ".ledger";
    }
    std::vector<std::string> arguments(int bot, int life) const {
        return {"--venue",    url,
                "--profile",  profile,
                "--budget",   "mock",
                "--ledger",   ledger(bot),
                "--orders",   std::to_string(orders_each),
                "--requests", "0",
                "--seed",     std::to_string(bot * 1'000 + life),
                "--account",  "bot-" + std::to_string(bot)};
    }
};

/// One bot: killed after so many lines of its log, started again, until it is done.
Sum trade(const Storm& storm, int bot) {
    Sum sum;
    std::mt19937 random(static_cast<unsigned>(bot));
    for (int life = 0; life < 1'000; ++life) {
        Program program(bot % 2 == 0 ? "curl-bot" : "beast-bot", storm.arguments(bot, life));
        int lines_left = sum.kills < kills_each ? static_cast<int>(random() % 150) : -1;
        while (const auto line = program.read_line()) {
            const auto event = json::parse(*line, nullptr, false);
            if (event.value("event", "") == "order") ++sum.states[event.value("state", "")];
            if (lines_left-- != 0) continue;
            program.kill();
            ++sum.kills;
            break;
        }
        const int status = program.wait();
        if (status == 0) return sum;
        if (status == 3) {
            // The reconciliation: a person compares ledger and venue, then clears the halt.
            ++sum.halts;
            auto budget = Budget::attach("mock");
            if (budget) static_cast<void>(budget->unhalt("reconciled"));
        } else if (status != 128 + SIGKILL) {
            ++sum.failures;
            return sum;
        }
    }
    ++sum.failures;
    return sum;
}

/// What each id came to, by the ledger's own lines; empty where nothing ended it.
std::map<std::string, std::string> ends_of(const std::string& path) {
    std::map<std::string, std::string> ends;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto entry = retry::parse_ledger_line(line);
        REQUIRE(entry);
        if (entry->is_begin) ends[entry->client_id];
        if (!entry->is_begin) ends[entry->client_id] = entry->word;
    }
    return ends;
}

json get(const std::string& url) {
    std::string body;
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(
        easy, CURLOPT_WRITEFUNCTION,
        +[](char* data, std::size_t size, std::size_t count, void* into) {
            static_cast<std::string*>(into)->append(data, size * count);
            return size * count;
        });
    REQUIRE(curl_easy_perform(easy) == CURLE_OK);
    curl_easy_cleanup(easy);
    return json::parse(body);
}

}  // namespace

TEST_CASE("order storm: of 1,000 orders none is placed twice and none is lost") {
    Storm storm;
    std::ofstream(storm.profile) << profile_text;
    Program venue("mock-venue", {"--limit", "weight=600000/1m", "--run-for", "500", "--seed", "7",
                                 "--lose-answer", "0.04", "--lose-request", "0.04", "--fail-order",
                                 "0.04", "--duplicate-order", "0.05", "--hide-order", "0.2:150ms",
                                 "--slow-order", "0.1:20ms"});
    const auto listening = venue.read_line();
    REQUIRE(listening);
    storm.url = listening->substr(listening->find("http"));
    {
        // Made here, so that the bots find it with full limits.
        const auto profile = must(Profile::load(storm.profile));
        must(Budget::open("mock", profile, {.full = true}));
    }
    std::vector<Sum> sums(bots);
    std::vector<std::thread> threads;
    for (int bot = 0; bot < bots; ++bot) {
        threads.emplace_back([&, bot] { sums[static_cast<std::size_t>(bot)] = trade(storm, bot); });
    }
    for (auto& thread : threads) thread.join();

    std::map<std::string, int> at_venue;
    const json placed = get(storm.url + "/_mock/orders");
    for (const auto& order : placed.at("orders")) {
        ++at_venue[order.at("clientOrderId").get<std::string>()];
    }
    int kills = 0, halts = 0, duplicates = 0, lost = 0, ghosts = 0, unsettled = 0;
    std::map<std::string, int> ended;
    for (int bot = 0; bot < bots; ++bot) {
        const Sum& sum = sums[static_cast<std::size_t>(bot)];
        CHECK(sum.failures == 0);
        kills += sum.kills;
        halts += sum.halts;
        const auto ends = ends_of(storm.ledger(bot));
        CHECK(ends.size() >= static_cast<std::size_t>(orders_each));
        for (const auto& [id, state] : ends) {
            ++ended[state];
            const auto found = at_venue.find(id);
            const int count = found == at_venue.end() ? 0 : found->second;
            at_venue.erase(id);
            if (count > 1) ++duplicates;
            if (state.empty()) ++unsettled;
            if (count == 1 && state != "placed" && state != "unknown") ++lost;
            if (count == 0 && state == "placed") ++ghosts;
        }
    }
    std::cout << "order storm: " << bots * orders_each << " orders, " << kills << " kills, "
              << halts << " halts;";
    for (const auto& [state, count] : ended) std::cout << " " << count << " " << state;
    std::cout << "; " << duplicates << " twice, " << lost << " lost\n";
    CHECK(duplicates == 0);
    CHECK(lost == 0);
    CHECK(ghosts == 0);
    CHECK(unsettled == 0);
    CHECK(at_venue.empty());  // every order there bears an id of a ledger
    CHECK(kills == bots * kills_each);
    CHECK(halts >= ended["unknown"]);
    CHECK(ended["placed"] > 800);
    CHECK(ended["not_placed"] > 0);
}
