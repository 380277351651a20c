// SPDX-License-Identifier: Apache-2.0
//
// The examples of the manual are what it says they are.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// The blocks between lines of four dashes.
std::vector<std::string> examples() {
    const char* root = std::getenv("RATECOORD_SOURCE_DIR");
    REQUIRE(root != nullptr);
    std::ifstream page(std::string(root) + "/docs/man/ratecoord-profile.5.adoc");
    REQUIRE(page);
    std::vector<std::string> blocks;
    bool is_inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line == "----") {
            is_inside = !is_inside;
            if (is_inside) blocks.emplace_back();
        } else if (is_inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

}  // namespace

TEST_CASE("the manual's example is a sound profile that reads a ban") {
    const auto profile = profile_of(examples().at(0));
    CHECK(profile.name == "acme");
    CHECK(profile.limits.size() == 2);
    CHECK(profile.operations.size() == 3);
    const auto reading =
        read(profile, {.status = 418, .body = R"({"msg":"banned until 1893456178000"})"});
    CHECK(reading.action == Action::ban);
    CHECK(wait_of(reading) == 178s);
}

TEST_CASE("the manual's second example changes one number of the first") {
    const auto texts = examples();
    REQUIRE(texts.size() == 2);
    const venue::FetchProfile fetch = [&](std::string_view name) -> venue::FoundText {
        CHECK(name == "acme");
        return {venue::ProfileText{"acme.toml", texts[0]}, {}};
    };
    venue::Findings findings;
    const auto profile = venue::read_profile({"acme-vip.toml", texts[1]}, fetch, findings);
    for (const auto& finding : findings.list()) UNSCOPED_INFO(finding.text());
    REQUIRE(profile);
    CHECK(profile->limits[profile->find_limit("orders")].definition.quota == 200);
    CHECK(profile->limits[profile->find_limit("orders")].definition.window == 10s);
    CHECK(profile->signals.size() == 3);
}
