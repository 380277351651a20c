// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/config.hpp"

#include <stdlib.h>

#include "support/catch.hpp"
#include "support/profile_text.hpp"

using namespace coordinatord;
using ratecoord::venue::Findings;

namespace {

std::string source_directory() {
    const char* const value = ::getenv("RATECOORD_SOURCE_DIR");
    REQUIRE(value != nullptr);
    return value;
}

/// The profiles of the checkout, and no others.
struct Profiles {
    Profiles() { ::setenv("RATECOORD_PROFILES", (source_directory() + "/profiles").c_str(), 1); }
    ~Profiles() { ::unsetenv("RATECOORD_PROFILES"); }
};

std::string complaint(const std::string& text) {
    const Profiles profiles;
    Findings findings;
    const auto config = parse_config(text, "c.toml", findings);
    REQUIRE(config.has_value() == findings.empty());
    return findings.empty() ? std::string() : findings.list().at(0).text();
}

Config sound(const std::string& text) {
    const Profiles profiles;
    Findings findings;
    auto config = parse_config(text, "c.toml", findings);
    for (const auto& finding : findings.list()) UNSCOPED_INFO(finding.text());
    REQUIRE(config);
    return std::move(*config);
}

}  // namespace

TEST_CASE(
    "a configuration names budgets, whose profile is that of the name unless it says another") {
    const auto config = sound(R"(schema = 1
directory = "/srv/ratecoord"
interval = "500ms"
[budgets.binance-spot]
clients = 300
[budgets.second-address]
profile = "binance-spot"
shadow = true
)");
    CHECK(config.directory == "/srv/ratecoord");
    CHECK(config.interval == std::chrono::milliseconds(500));
    REQUIRE(config.budgets.size() == 2);
    CHECK(config.budgets[0].options.clients == 300);
    CHECK(config.budgets[1].name == "second-address");
    CHECK(config.budgets[1].profile.name() == "binance-spot");
    CHECK(config.budgets[1].profile.budget() == "second-address");
    CHECK(config.budgets[1].options.shadow);
    CHECK(config.listen.is_off());
}

TEST_CASE("a budget's profile may be named by its path, from the directory of the file on") {
    const auto beside = source_directory() + "/profiles/";
    const std::string text = "schema = 1\n[budgets.desk]\nprofile = \"./kraken-spot.toml\"\n";
    Findings findings;
    const auto config = parse_config(text, beside + "c.toml", findings);
    REQUIRE(config);
    CHECK(config->budgets.at(0).profile.name() == "kraken-spot");
    CHECK(config->budgets.at(0).profile.budget() == "desk");
    const auto absolute =
        sound("schema = 1\n[budgets.desk]\nprofile = \"" + beside + "kraken-spot.toml\"\n");
    CHECK(absolute.budgets.at(0).profile.name() == "kraken-spot");
    CHECK(complaint("schema = 1\n[budgets.desk]\nprofile = \"./nothing.toml\"\n")
              .find("c.toml:2: extends './nothing.toml': ") == 0);
}

TEST_CASE("a budget's own limits lie over those of its profile") {
    const auto config = sound(R"(schema = 1
[budgets.binance-spot.limits.weight]
quota = 3000
[budgets.binance-spot.limits.house]
kind = "rolling"
quota = 10
window = "1s"
)");
    const auto& limits = config.budgets.at(0).profile.limits();
    CHECK(limits.front().name == "weight");
    CHECK(limits.front().quota == 3000);
    CHECK(limits.front().window == std::chrono::minutes(1));
    CHECK(limits.back().name == "house");
}

TEST_CASE("addresses: loopback as it is, others with a token, a unix socket by its path") {
    auto listen = sound("schema = 1\n[listen]\naddress = \"127.0.0.1:9469\"\n").listen;
    CHECK(listen.host == "127.0.0.1");
    CHECK(listen.port == 9469);
    listen = sound("schema = 1\n[listen]\naddress = \"[::1]:80\"\n").listen;
    CHECK(listen.host == "::1");
    listen = sound("schema = 1\n[listen]\naddress = \"unix:/run/x.sock\"\n").listen;
    CHECK(listen.socket == "/run/x.sock");
    CHECK_FALSE(listen.is_off());
}

TEST_CASE("what is wrong is told with file, line and reason") {
    struct Case {
        std::string text;
        std::string said;
    };
    const std::vector<Case> cases = {
        {"", "c.toml:1: coordinatord.toml: needs schema"},
        {"schema = 2\n", "c.toml:1: coordinatord.toml: schema 2 is not between 1 and 1"},
        {"schema = 1\nbudget = 3\n",
         "c.toml:2: coordinatord.toml: unknown key 'budget' (did you mean 'budgets'?)"},
        {"schema = 1\n[budgets.nowhere]\n",
         "c.toml:2: extends 'nowhere': there is no profile 'nowhere'"},
        {"schema = 1\n[budgets.bybit.limits.ip]\nquota = 0\n",
         "c.toml:3: limit 'ip': quota 0 is not between 1 and 2147483648"},
        {"schema = 1\n[listen]\naddress = \"0.0.0.0:80\"\n",
         "c.toml:3: listen: address '0.0.0.0' is not a loopback address: that needs a token_file"},
        {"schema = 1\n[listen]\naddress = \"localhost\"\n",
         "c.toml:3: listen: address 'localhost' is neither HOST:PORT nor unix:/PATH"},
        {"schema = 1\n[[hooks]]\nname = \"x\"\ncommand = \"/bin/true\"\non = [\"bann\"]\n",
         "c.toml:5: hook: on 'bann' is no event (did you mean 'ban'?)"},
        {"schema = 1\n[[hooks]]\nname = \"x\"\n", "c.toml:2: hook: needs a command or a url"},
        {"schema = 1\n[[hooks]]\nname = \"x\"\ncommand = \"mail\"\n",
         "c.toml:4: hook: command 'mail' is not an absolute path"},
        {"schema = 1\ninterval = \"1h\"\n",
         "c.toml:2: coordinatord.toml: interval is not between 100ms and 10s"},
    };
    for (const auto& each : cases) {
        INFO(each.text);
        CHECK(complaint(each.text) == each.said);
    }
}
