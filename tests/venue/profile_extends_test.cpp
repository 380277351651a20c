// SPDX-License-Identifier: Apache-2.0
//
// Profiles that extend each other.
#include <map>
#include <string>

#include "venue/document.hpp"
#include "venue/profile_reader.hpp"
#include "venue/sound_limits.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

venue::FetchProfile shelf(std::map<std::string, std::string> texts) {
    return [texts = std::move(texts)](std::string_view name) -> venue::FoundText {
        const auto found = texts.find(std::string(name));
        if (found == texts.end()) return {std::nullopt, "there is none"};
        return {venue::ProfileText{found->first + ".toml", found->second}, {}};
    };
}

}  // namespace

TEST_CASE("R3: a profile extends another: tables merge, everything else is replaced") {
    venue::Findings findings;
    const auto base = with_head(std::string(limits) +
                                "[[signals]]\nname = \"s\"\nstatus = 429\n"
                                "action = \"pause\"\n");
    const auto profile =
        venue::read_profile({"child.toml",
                             "extends = \"base\"\nname = \"child\"\nas_of = 2027-01-01\n"
                             "[limits.weight]\nquota = 50\n[limits.extra]\nkind = \"spacing\"\n"
                             "window = \"1s\"\n"},
                            shelf({{"base", base}}), findings);
    for (const auto& finding : findings.list()) UNSCOPED_INFO(finding.text());
    REQUIRE(profile);
    CHECK(profile->name == "child");
    CHECK(profile->budget == "child");
    CHECK(profile->title == "A sample");
    CHECK(profile->limits.size() == 3);
    CHECK(profile->limits[0].definition.quota == 50);
    CHECK(profile->limits[0].definition.window == 1min);
    CHECK(profile->signals.size() == 1);
    CHECK(profile->files == Lines{"child.toml", "base.toml"});
    CHECK(profile->signals[0].place == venue::Place{1, 19});
}

TEST_CASE("R3: findings of a base name its file") {
    venue::Findings findings;
    venue::read_profile({"child.toml", "extends = \"base\"\nname = \"child\"\n"},
                        shelf({{"base", with_head("wrong = 1\n" + std::string(limits))}}),
                        findings);
    REQUIRE(findings.count() == 1);
    CHECK(findings.list()[0].text() == "base.toml:7: profile: unknown key 'wrong'");
}

TEST_CASE("R3: a cycle of extends is refused where it closes") {
    const auto cycle = [](std::string_view start, const venue::FetchProfile& fetch) {
        venue::Findings findings;
        CHECK_FALSE(venue::read_profile({"start.toml", std::string(start)}, fetch, findings));
        REQUIRE(findings.count() == 1);
        return findings.list()[0].text();
    };
    CHECK(cycle("name = \"a\"\nextends = \"a\"\n", shelf({})) ==
          "start.toml:2: extends 'a': a cycle; it comes back to itself");
    CHECK(cycle("name = \"a\"\nextends = \"b\"\n",
                shelf({{"b", "name = \"b\"\nextends = \"a\"\n"}})) ==
          "b.toml:2: extends 'a': a cycle; it comes back to itself");
    CHECK(cycle("extends = \"b\"\n", shelf({{"b", "extends = \"b\"\n"}})) ==
          "b.toml:1: extends 'b': a cycle; it comes back to itself");
    CHECK(cycle("extends = \"b\"\n", shelf({})) == "start.toml:1: extends 'b': there is none");
    CHECK(cycle("extends = 3\n", shelf({})) ==
          "start.toml:1: extends '': is not the name of a profile");
}
