// SPDX-License-Identifier: Apache-2.0
//
// `profile` and `explain` on the profiles that are installed, and on what a user may feed them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord::testing;
using Json = nlohmann::json;

namespace {

std::string source() {
    return std::getenv("RATECOORD_SOURCE_DIR");
}

std::string write(const ScratchDirectory& directory, const std::string& name,
                  const std::string& text) {
    const auto path = directory.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

Json explained(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", "binance-spot"});
    arguments.insert(arguments.end(), {"--at", "2030-01-01T00:00:19.250Z", "--json"});
    const auto ran = run_ratectl(arguments);
    INFO(ran.narration);
    REQUIRE(ran.exit == 0);
    return Json::parse(ran.results);
}

std::string one_line_error(const std::vector<std::string>& arguments, int exit) {
    const auto ran = run_ratectl(arguments);
    INFO(arguments.back() + ": " << ran.narration);
    CHECK(ran.exit == exit);
    CHECK(ran.results.empty());
    const auto lines = std::count(ran.narration.begin(), ran.narration.end(), '\n');
    CHECK((lines == 1 || lines == 2));  // and a hint
    return ran.narration;
}

}  // namespace

TEST_CASE("every profile that is installed passes the check") {
    const ProfileDirectory profiles(source() + "/profiles");
    const auto ran = run_ratectl({"profile", "check", "--json"});
    CHECK(ran.exit == 0);
    const auto checked = Json::parse(ran.results)["profiles"];
    CHECK(checked.size() == 19);
    for (const auto& profile : checked) {
        INFO(profile.dump());
        CHECK(profile["findings_total"] == 0);
        CHECK(profile["limits"] > 0);
        CHECK(profile["operations"] > 0);
        CHECK(profile["signals"] > 0);
    }
    const auto listed = run_ratectl({"profile", "list", "--json"});
    CHECK(listed.exit == 0);
    CHECK(Json::parse(listed.results)["profiles"].size() == 19);
}

TEST_CASE("explain tells the instant, to the millisecond, and the line that decided") {
    const ScratchDirectory directory;
    const ProfileDirectory profiles(source() + "/profiles");
    const auto body =
        write(directory, "reply.json",
              R"({"code":-1015,"msg":"Too many new orders; 70 orders per 10 SECOND."})");
    const auto named = explained(
        {"--status", "429", "--header", "Retry-After: 7", "--body", body, "--operation", "order"});
    CHECK(named["action"] == "pause");
    CHECK(named["scope"] == "key");
    CHECK(named["per"] == "account");
    CHECK(named["wait_seconds"] == 7);
    CHECK(named["until_at"] == "2030-01-01T00:00:26.250Z");
    CHECK(named["wait_source"] == "retry-after");
    CHECK(named["signal"] == "orders-10s-exceeded");
    // The line it names is the signal's own.
    const auto place = named["place"].get<std::string>();
    const auto colon = place.rfind(':');
    std::ifstream file(place.substr(0, colon));
    std::string line;
    for (int left = std::stoi(place.substr(colon + 1)); left >= 0; --left) std::getline(file, line);
    CHECK(line == R"(name = "orders-10s-exceeded")");

    const auto unnamed = explained({"--status", "429", "--body", body, "--operation", "order"});
    CHECK(unnamed["wait_source"] == "fallback");
    CHECK(unnamed["wait_seconds"] == 1);  // the window ends sooner; policy F has a floor
    CHECK(unnamed["until_at"] == "2030-01-01T00:00:20.250Z");
}

TEST_CASE("A13: explain says what a page of the edge does to whom") {
    const ScratchDirectory directory;
    const ProfileDirectory profiles(source() + "/profiles");
    const auto page = write(directory, "page.html", "<HTML>" + std::string(5000, '\0') + "\xff");
    const auto held = explained({"--status", "403", "--body", page});
    CHECK(held["action"] == "pause");
    CHECK(held["scope"] == "address");
    CHECK(held["wait_seconds"] == 60);
}

TEST_CASE("replies and files of any size and shape are answered in one document or one line") {
    const ScratchDirectory directory;
    const ProfileDirectory profiles(source() + "/profiles");
    const auto large = write(directory, "large", std::string(10U << 20U, '['));
    CHECK(explained({"--status", "429", "--body", large})["action"] == "pause");
    const auto line = "X-MBX-USED-WEIGHT-1M: " + std::string(100'000, '9');
    CHECK(explained({"--status", "200", "--header", line})["counts"].empty());
    CHECK(explained({"--status", "200", "--header", "\x01: \xff"})["action"] == "ok");

    CHECK_THAT(one_line_error({"explain", "bybit", "--status", "200", "--body", "/dev/zero"}, 2),
               Catch::Contains("is longer than"));
    CHECK_THAT(
        one_line_error({"explain", "bybit", "--status", "200", "--body", directory.path()}, 1),
        Catch::Contains("Is a directory"));
    CHECK_THAT(one_line_error({"profile", "import", "exchange-info", large}, 2),
               Catch::Contains("it is not JSON"));
    const std::string deep = std::string(1U << 20U, '[') + std::string(1U << 20U, ']');
    const auto imported =
        run_ratectl({"profile", "import", "exchange-info", write(directory, "deep", deep)});
    CHECK(imported.exit == 0);
    CHECK_THAT(imported.narration, Catch::Contains("no limit is published there"));
    const auto garbage = write(directory, "garbage.toml", std::string(2U << 20U, '\x01'));
    CHECK(run_ratectl({"profile", "check", garbage}).exit == 1);
    CHECK_THAT(one_line_error({"profile", "show", garbage}, 1), Catch::Contains("garbage.toml"));
}

TEST_CASE("1.1: the array alone, the reply of the WebSocket API and an empty array are imported") {
    const ScratchDirectory directory;
    const std::string entry =
        R"({"rateLimitType":"REQUEST_WEIGHT","interval":"HOUR","intervalNum":1,"limit":4200})";
    const auto imported = [&](const std::string& text) {
        const auto ran = run_ratectl(
            {"profile", "import", "exchange-info", write(directory, "info.json", text), "--json"});
        INFO(ran.narration);
        CHECK(ran.exit == 0);
        return Json::parse(ran.results)["limits"];
    };
    for (const auto& text :
         {"[" + entry + "]", R"({"rateLimits":[)" + entry + "]}",
          R"({"id":1,"status":200,"result":{"rateLimits":[)" + entry + R"(]},"rateLimits":[]})"}) {
        const auto limits = imported(text);
        REQUIRE(limits.size() == 1);
        CHECK(limits[0]["definition"] == "weight=4200/1h,kind=fixed,burst=2100,slack=500ms,spread");
    }
    CHECK(imported(R"({"rateLimits":[]})").empty());
}

TEST_CASE("2.1: what is imported stands in a profile that extends the venue's") {
    const ScratchDirectory directory;
    const auto info = write(
        directory, "info.json",
        R"({"rateLimits":[{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":100}]})");
    const auto imported = run_ratectl({"profile", "import", "exchange-info", info});
    REQUIRE(imported.exit == 0);
    std::filesystem::copy(source() + "/profiles/binance-spot.toml", directory.path());
    const auto mine =
        write(directory, "mine.toml",
              "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nas_of = 2030-01-01\n"
              "source = \"exchangeInfo\"\nconfidence = \"A\"\nextends = \"binance-spot\"\n" +
                  imported.results);
    const auto shown = run_ratectl({"profile", "show", mine, "--json"});
    INFO(shown.narration);
    REQUIRE(shown.exit == 0);
    bool found = false;
    const auto document = Json::parse(shown.results);
    for (const auto& limit : document["limits"]) {
        if (limit["limit"] != "orders-10s") continue;
        found = true;
        CHECK_THAT(limit["definition"].get<std::string>(), Catch::Contains("orders-10s=100/10s"));
    }
    CHECK(found);
}
