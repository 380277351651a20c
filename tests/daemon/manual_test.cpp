// SPDX-License-Identifier: Apache-2.0
//
// The pages against what the programs read and print.
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "coordinatord/config.hpp"
#include "coordinatord/event.hpp"
#include "support/catch.hpp"

namespace {

std::string source(const std::string& path) {
    const char* const root = std::getenv("RATECOORD_SOURCE_DIR");
    REQUIRE(root != nullptr);
    std::ifstream file(std::string(root) + '/' + path);
    REQUIRE(file.is_open());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex form(pattern);
    std::set<std::string> all;
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) {
        all.insert((*at)[1]);
    }
    return all;
}

bool names(const std::string& page, const std::string& words) {
    return page.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("coordinatord.toml(5) names every key that is read and every event") {
    const auto code = source("coordinatord/config.cpp");
    const auto page = source("docs/man/coordinatord.toml.5.adoc");
    auto keys =
        matches(code, R"re(fields\.(?:text|texts|number|boolean|duration|take)\("([a-z_]+)")re");
    keys.merge(matches(code, R"re(size_of\(fields, "([a-z_]+)")re"));
    keys.insert({"limits", "operations"});  // read in a loop
    CHECK(keys.size() > 24);
    for (const auto& key : keys) {
        INFO(key);
        CHECK((names(page, '*' + key + '*') || names(page, "== [" + key + ']') ||
               names(page, "== [" + key + ".NAME]") || names(page, "== [[" + key + "]]")));
    }
    for (const auto event : coordinatord::event_kinds()) {
        INFO(event);
        CHECK(names(page, '*' + std::string(event) + '*'));
    }
}

TEST_CASE("coordinatord(8) names every option") {
    const auto page = source("docs/man/coordinatord.8.adoc");
    const auto options = matches(source("coordinatord/main.cpp"), R"re("(--[a-z-]+)")re");
    CHECK(options.size() >= 3);
    for (const auto& option : options) {
        INFO(option);
        CHECK(names(page, '*' + option + '*'));
    }
}

TEST_CASE("the configuration that packages install is sound") {
    ratecoord::venue::Findings findings;
    const auto config = coordinatord::parse_config(source("packaging/coordinatord.toml"),
                                                   "coordinatord.toml", findings);
    for (const auto& finding : findings.list()) UNSCOPED_INFO(finding.text());
    REQUIRE(config.has_value());
    CHECK(config->listen.port == 9469);
    CHECK(config->directory == "/run/ratecoord");
}
