// SPDX-License-Identifier: Apache-2.0
//
// The promises of json_value.hpp, checked on what every command really prints.
#include <nlohmann/json.hpp>
#include <regex>

#include <ratecoord/budget.hpp>

#include "cli/program.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using Json = nlohmann::ordered_json;

namespace {

struct Expected {
    const char* command;
    int exit;
    std::vector<const char*> keys;  // in this order, after "schema"
};

void check_conventions(const std::string& name, const Json& value) {
    static const std::regex instant(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
    INFO(name << ": " << value.dump());
    if (name.ends_with("_seconds")) CHECK((value.is_number() || value.is_null()));
    if (name.ends_with("_at")) {
        REQUIRE((value.is_string() || value.is_null()));
        if (value.is_string()) CHECK(std::regex_match(value.get<std::string>(), instant));
    }
    if (name.ends_with("_total")) CHECK(value.is_number_unsigned());
    for (const auto& [key, inner] : value.items()) {
        if (value.is_structured()) check_conventions(value.is_object() ? key : "", inner);
    }
}

void check(const Expected& expected) {
    const auto ran = run_ratectl(split_command("--json " + std::string(expected.command)));
    INFO(expected.command << ": " << ran.results << ran.narration);
    CHECK(ran.exit == expected.exit);
    REQUIRE_FALSE(ran.results.empty());
    CHECK(ran.results.find('\n') == ran.results.size() - 1);  // one document, one line
    const auto document = Json::parse(ran.results);
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.items()) keys.push_back(key);
    std::vector<std::string> wanted{"schema"};
    wanted.insert(wanted.end(), expected.keys.begin(), expected.keys.end());
    CHECK(keys == wanted);
    CHECK(document["schema"] == 1);
    check_conventions("", document);
}

}  // namespace

TEST_CASE("every command prints one JSON document of its schema") {
    const ScratchDirectory directory;
    const std::vector<const char*> change{"action", "dry_run", "changes"};
    const std::vector<const char*> error{"error"};
    const Expected table[] = {
        {"list", 0, {"taken_at", "budgets"}},
        {"create a --limit w=100/30d --limit o=5/1s,per=account --full",
         0,
         {"action", "dry_run", "budget", "file", "bytes", "full_start", "shadow", "limits"}},
        {"create a --limit w=100/30d", 6, error},
        {"acquire a w=1 o=1 --key o=main",
         0,
         {"budget", "permit", "waited_seconds", "booked_at", "valid_until_at",
          "valid_for_seconds"}},
        {"set a --limit w=90/30d", 0, {"action", "dry_run", "budget", "limits"}},
        {"pause a --for 1m", 0, change},
        {"pause a --for 1m --kind cooldown", 0, change},
        {"pause a --key account=main --for 1m", 0, change},
        {"halt a --reason drill", 0, change},
        {"list", 0, {"taken_at", "budgets"}},
        {"show a",
         0,
         {"taken_at", "budget", "state", "stops", "retries", "cold_until_at", "shadow",
          "shadow_overruns_total", "full_start", "retired", "clients", "reservations", "limits",
          "file", "segment", "commits_total", "created_at", "capacity", "counters"}},
        {"top a --once --interval 50ms", 0, {"taken_at", "budgets"}},
        {"top", 2, error},
        {"clients a", 0, {"taken_at", "budget", "room", "clients"}},
        {"journal a", 0, {"taken_at", "budget", "events"}},
        {"acquire a w=1", 7, error},
        {"exec a w=1 -- true", 7, error},
        {"unhalt --all", 0, change},
        {"resume a --cooldown", 0, change},
        {"reset a", 0, change},
        {"destroy a", 0, change},
        {"show a", 3, error},
        {"frobnicate", 2, error},
        {"simulate --table", 0, {"scenario", "runs", "limit", "rows"}},
        {"simulate --workers 40 --limit w=10/1s",
         0,
         {"scenario", "workers", "calls_each", "units_a_call", "service_time_seconds", "limit",
          "quota_per_second", "kept_up_per_second", "backoff", "first_seed", "lower_bound_seconds",
          "rows"}},
        {"simulate --scenario layers",
         0,
         {"scenario", "workers", "layers", "retries_a_layer", "service_time_seconds", "backoff",
          "seed", "rows"}},
        {"simulate", 2, error},
        {"help exit-codes", 0, {"topic", "text"}},
        {"completion bash", 0, {"shell", "text"}},
    };
    for (const auto& expected : table) check(expected);
}

TEST_CASE("the documents of simulate hold the figures that the text rounds") {
    const auto document = [](const char* command) {
        return Json::parse(run_ratectl(split_command(command)).results);
    };
    const auto table = document("simulate --table --json");
    CHECK(table["rows"][2]["backoff"] == "full");
    CHECK(table["rows"][2]["results"][0]["calls"] == 488.145);
    CHECK(table["rows"][5]["backoff"] == "shared-budget");
    CHECK(table["rows"][5]["results"][1]["last_success_seconds"] == 99.005);
    CHECK(table["rows"][5]["results"][1]["rejected"] == 0);

    const auto plan = document("simulate --workers 100 --limit r=10/1s,kind=fixed --json");
    CHECK(plan["lower_bound_seconds"] == 9);
    const auto& shared = plan["rows"][1];
    CHECK(shared["paced_by"] == "shared-budget");
    CHECK(shared["requests"] == 100);
    CHECK(shared["rejected"] == 0);
    double admitted = 0;
    for (const double rate : shared["timeline"]["admitted_per_second"]) {
        admitted += rate * shared["timeline"]["slice_seconds"].get<double>();
    }
    CHECK(admitted == Approx(100));

    const auto storm = document("simulate --scenario layers --json");
    CHECK(storm["rows"][0]["requests"] == 640);
    CHECK(storm["rows"][0]["retry_budget_units"].is_null());
    CHECK(storm["rows"][1]["requests"] == 140);
    CHECK(storm["rows"][2]["requests"] == 90);
}

TEST_CASE("profile and explain print one JSON document of their schema") {
    const ProfileDirectory profiles(std::string(std::getenv("RATECOORD_SOURCE_DIR")) +
                                    "/tests/cli/profiles");
    const std::vector<const char*> error{"error"};
    const Expected table[] = {
        {"profile list", 1, {"profiles"}},
        {"profile show sample",
         0,
         {"profile", "title", "file", "budget", "as_of", "source", "confidence", "note",
          "firewall_403", "orders", "limits", "operations", "feedback", "signals"}},
        {"profile show broken", 1, error},
        {"profile show nowhere", 4, error},
        {"profile check sample broken", 1, {"profiles"}},
        {"explain sample --status 418",
         0,
         {"profile",    "operation",     "status",   "action",         "scope",
          "per",        "wait_seconds",  "until_at", "wait_source",    "wait_rule",
          "wait_place", "named_seconds", "clamped",  "unusual",        "partly_done",
          "duplicate",  "counted",       "counts",   "counts_dropped", "refunds",
          "decided_by", "signal",        "when",     "place",          "note"}},
        {"explain sample --status 999", 2, error},
    };
    for (const auto& expected : table) check(expected);
}

TEST_CASE("the doctor's verdict is its exit code") {
    const ScratchDirectory directory;
    REQUIRE(run_ratectl({"create", "a", "--limit", "w=100/30d", "--full"}).exit == 0);
    std::filesystem::permissions(directory.path() + "/a.budget",
                                 std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    const auto ran = run_ratectl({"doctor", "a", "--json"});
    const auto document = Json::parse(ran.results);
    check_conventions("", document);
    CHECK(document["attention"] >= 1);
    CHECK(ran.exit == 1);
    CHECK(document["findings"].front()["grade"] == "needs_a_hand");
    for (const auto& finding : document["findings"]) {
        CHECK(finding["text"].is_string());
        if (finding["grade"] != "needs_a_hand") continue;
        CHECK(finding["why"].is_string());
        CHECK(finding["next"].is_string());
    }
}

TEST_CASE("an error's document says what the text says, and when to come back") {
    const ScratchDirectory directory;
    REQUIRE(run_ratectl({"create", "a", "--limit", "w=100/30d", "--full"}).exit == 0);
    REQUIRE(run_ratectl({"pause", "a", "--for", "90m", "--kind", "ban"}).exit == 0);
    const auto ran = run_ratectl({"reset", "a", "--json"});
    CHECK(ran.exit == 6);
    const auto error = Json::parse(ran.results)["error"];
    CHECK(error["code"] == "ban_stands");
    CHECK(error["exit_code"] == 6);
    CHECK(error["retry_after_seconds"] > 5300);
    CHECK(error["retry_after_seconds"] <= 5400);
    CHECK(ran.narration == "ratectl: " + error["message"].get<std::string>() +
                               "\nhint: " + error["hint"].get<std::string>() + "\n");
}
