// SPDX-License-Identifier: Apache-2.0
//
// What a profile is refused for, with file, line and reason.
#include "venue/profile_reader.hpp"

#include <string>

#include "venue/document.hpp"
#include "venue/sound_limits.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

TEST_CASE("a sound profile has no findings") {
    CHECK(after_limits("").empty());
}

TEST_CASE("the head of a file is complete") {
    CHECK(findings_of("") ==
          Lines{"sample.toml:1: profile: needs schema", "sample.toml:1: profile: needs name",
                "sample.toml:1: profile: needs title", "sample.toml:1: profile: needs as_of",
                "sample.toml:1: profile: needs source", "sample.toml:1: profile: needs confidence",
                "sample.toml:1: profile: needs limits"});
    CHECK(findings_of(with_head("schem = 2\n" + std::string(limits))) ==
          Lines{"sample.toml:7: profile: unknown key 'schem' (did you mean 'schema'?)"});
}

TEST_CASE("what is not TOML is refused at its line") {
    const auto lines = findings_of("schema = 1\nname = \n");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("sample.toml:2: not TOML: "));
    for (const auto* header : {"[#]\n", "[=]\n", "[ ,a]\n", "[[#]]\n", "[a.#]\n", "[a.]\n"}) {
        CAPTURE(header);
        CHECK(findings_of(header)[0].starts_with("sample.toml:1: not TOML: "));
    }
    CHECK(findings_of("a = 1\na = 2\n")[0].starts_with("sample.toml:2: not TOML: "));
    CHECK(findings_of(std::string_view("a = \"\0\"", 7))[0].starts_with("sample.toml:1: not TOML"));
}

TEST_CASE("D2: size, depth and width are bounded") {
    CHECK(findings_of(std::string(1'000'001, '#'))[0] ==
          "sample.toml: has 1000001 bytes; at most 1000000 are read");
    const std::string deep(100'000, '[');
    CHECK(findings_of("a = " + deep)[0].starts_with("sample.toml:1: not TOML"));
    std::string dotted = "a";
    for (int i = 0; i < 400'000; ++i) dotted += ".a";
    CHECK(findings_of("x = 1\n[" + dotted + "]\n") ==
          Lines{"sample.toml:2: nested deeper than 16 levels"});
    CHECK(findings_of(dotted + " = 1\n") == Lines{"sample.toml:1: nested deeper than 16 levels"});
    CHECK(findings_of("[a.a.a.a.a.a.a.a.a]\nb.b.b.b.b.b.b.b = 1\n") ==
          Lines{"sample.toml:1: nested deeper than 16 levels"});
    std::string wide;
    for (int i = 0; i < 600; ++i) wide += "k" + std::to_string(i) + " = 1\n";
    CHECK(findings_of(wide) == Lines{"sample.toml:1: more than 512 entries in one table or array"});
}

TEST_CASE("dots in strings and comments do not nest") {
    const std::string dots(100, '.');
    CHECK(after_limits("# " + dots + "\n[[signals]]\nname = \"s\"\nstatus = 429\ntext = \"" + dots +
                       "\"\naction = \"pause\"\nnote = '''\n" + dots + "\n'" + dots + "'''\n")
              .empty());
}

TEST_CASE("D4: beyond ASCII is for comments; texts have escapes") {
    CHECK(after_limits("# caf\xc3\xa9\n").empty());
    CHECK(findings_of("\xef\xbb\xbf" + with_head(std::string(limits))).empty());
    const auto profile =
        profile_of(with_head(std::string(limits) + "[[signals]]\nname = \"s\"\nstatus = 429\n"
                                                   "action = \"pause\"\nnote = \"\\u20ac\"\n"));
    CHECK(profile.signals[0].provenance.note == "\xe2\x82\xac");
    const std::string reason = "a character beyond ASCII outside of a comment; write its \\u code";
    // The first bytes are those whose kind toml++ 3.3 leaves undefined.
    for (const auto* text :
         {"x = 1\n\xef\xba\xbf = 1\n", "x = 1\ny = \"\xff\"\n", "x = 1\ny = '\xc3\xa9'\n",
          "x = '#'\ny = \"\\\xc3\xa9\"\n", "x = 1\ny = 1\"\xc3\xa9\"\n"}) {
        CAPTURE(text);
        CHECK(findings_of(text) == Lines{"sample.toml:2: " + reason});
    }
    CHECK(findings_of("x = \"\"\"\n\\\n\xc3\xa9\"\"\"\n") == Lines{"sample.toml:3: " + reason});
    CHECK(findings_of("x = '''\n''' # \xc3\xa9\n\xc3") == Lines{"sample.toml:3: " + reason});
}

TEST_CASE("never more than a screen of findings is kept") {
    std::string many;
    for (int i = 0; i < 100; ++i) many += "x" + std::to_string(i) + " = 1\n";
    CHECK(findings_of(with_head(many)).size() == venue::findings_max);
}

TEST_CASE("limits are refused for what they cannot keep") {
    const auto of = [](std::string_view text) {
        return findings_of(with_head("[limits.a]\n" + std::string(text)));
    };
    CHECK(of("") == Lines{"sample.toml:7: limit 'a': needs kind",
                          "sample.toml:7: limit 'a': needs quota",
                          "sample.toml:7: limit 'a': needs window"});
    CHECK(
        of("kind = \"fixd\"\nquota = 1\nwindow = \"1m\"") ==
        Lines{"sample.toml:8: limit 'a': kind 'fixd' is none of: bucket, rolling, fixed, spacing"});
    CHECK(of("kind = \"fixed\"\nquota = 0\nwindow = \"1m\"") ==
          Lines{"sample.toml:9: limit 'a': quota 0 is not between 1 and 2147483648"});
    CHECK(of("kind = \"fixed\"\nquota = -1\nwindow = \"1m\"")[0].starts_with("sample.toml:9: "));
    CHECK(of("kind = \"fixed\"\nquota = 1\nwindow = 60") ==
          Lines{"sample.toml:10: limit 'a': window is not a string"});
    CHECK(of("kind = \"fixed\"\nquota = 1\nwindow = \"1.5s\"") ==
          Lines{"sample.toml:10: limit 'a': window '1.5s' is not a duration like \"250ms\", "
                "\"10s\", \"1m30s\""});
    CHECK(of("kind = \"fixed\"\nquota = 1\nwindow = \"1s\"\nreserve = \"91%\"") ==
          Lines{"sample.toml:11: limit 'a': reserve '91%' is not \"0%\" to \"90%\""});
    CHECK(of("kind = \"fixed\"\nquota = 10\nwindow = \"300ms\"") ==
          Lines{"sample.toml:7: limit 'a': slack 250ms on both sides leaves nothing of the window "
                "300ms"});
    CHECK(of("kind = \"rolling\"\nquota = 10\nwindow = \"1s\"\nspread = true") ==
          Lines{"sample.toml:7: limit 'a': spread goes with kind=fixed only"});
    CHECK(of("kind = \"rolling\"\nquota = 10\nwindow = \"1s\"\nper = \"Account\"") ==
          Lines{"sample.toml:11: limit 'a': per 'Account' is not 1 to 15 characters of a-z, 0-9, "
                "'_', '-', '.'"});
    CHECK(
        findings_of(with_head("[limits.A]\nkind = \"spacing\"\nwindow = \"1s\"\n")) ==
        Lines{"sample.toml:7: limit 'A': a name is 1 to 31 characters of a-z, 0-9, '_', '-', '.'"});
    CHECK(findings_of(with_head("limits = 3\n")) ==
          Lines{"sample.toml:7: limits: is not a table of limits"});
    CHECK(of("kind = \"fixed\"\nquota = 1\nwindow = \"1s\"\n[limits.a]\n")[0].starts_with(
        "sample.toml:11: not TOML: "));
}

TEST_CASE("there are at most 32 limits, 256 operations and 64 signals") {
    const auto many = [](const char* head, const char* body, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += std::string(head);
            const auto mark = text.find('#', text.size() - std::string(head).size());
            if (mark != std::string::npos) text.replace(mark, 1, std::to_string(i));
            text += body;
        }
        return text;
    };
    constexpr auto limit = "kind = \"rolling\"\nquota = 1\nwindow = \"1s\"\n";
    CHECK(findings_of(with_head(many("[limits.a#]\n", limit, 32))).empty());
    CHECK(findings_of(with_head(many("[limits.a#]\n", limit, 33))) ==
          Lines{"sample.toml:135: limits: 33 of them; at most 32"});
    constexpr auto operation = "intent = \"read\"\ncost.weight = 1\n";
    CHECK(after_limits(many("[operations.o#]\n", operation, 255)).empty());
    CHECK(after_limits(many("[operations.o#]\n", operation, 256)).size() == 1);
    CHECK(after_limits(many("[[signals]]\nname = \"s#\"\n",
                            "status = 429\nbody = \"/x\"\naction = \"pause\"\n", 65)) ==
          Lines{"sample.toml:339: signals: at most 64 of them"});
}
