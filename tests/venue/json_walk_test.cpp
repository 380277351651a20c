// SPDX-License-Identifier: Apache-2.0
#include "venue/json_walk.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "venue/json_text.hpp"
#include "venue/profile.hpp"

using namespace ratecoord::venue;
using namespace std::string_view_literals;
using Kind = JsonValue::Kind;

namespace {

JsonPointer pointer(std::string_view text) {
    auto parsed = JsonPointer::parse(text);
    REQUIRE(parsed);
    return *parsed;
}

/// The raw value at a pointer; "-" if there is none.
std::string at(std::string_view text, std::string_view where) {
    const auto value = find(text, pointer(where));
    return value ? std::string(value->raw) : "-";
}

std::vector<std::string> all_at(std::string_view text, std::string_view where) {
    const auto path = pointer(where);
    std::vector<std::string> raws;
    JsonWalk walk(text, path);
    while (const auto value = walk.next()) raws.emplace_back(value->raw);
    return raws;
}

}  // namespace

TEST_CASE("a pointer starts with a slash and has sixteen tokens at most") {
    CHECK(JsonPointer::parse(""));
    CHECK(JsonPointer::parse("/"));
    CHECK(JsonPointer::parse("/a~0b~1c/0"));
    for (const auto* text : {"a", "a/b", "/a~", "/a~2", "/~"})
        CHECK_FALSE(JsonPointer::parse(text));
    std::string long_one;
    for (int i = 0; i < 16; ++i) long_one += "/a";
    CHECK(JsonPointer::parse(long_one));
    CHECK_FALSE(JsonPointer::parse(long_one + "/a"));
}

TEST_CASE("J1: a value is found by its pointer") {
    constexpr auto text =
        R"( {"code":-1003 , "error":{"data":{"retryAfter":1893456060000}}, "": 1, "a/b": 2, "~": 3,
            "list":[10,[20,21],{"x":30}], "yes":true, "no":null, "text":"a\"b" } )"sv;
    CHECK(at(text, "/code") == "-1003");
    CHECK(at(text, "/error/data/retryAfter") == "1893456060000");
    CHECK(at(text, "/") == "1");
    CHECK(at(text, "/a~1b") == "2");
    CHECK(at(text, "/~0") == "3");
    CHECK(at(text, "/list/0") == "10");
    CHECK(at(text, "/list/1/1") == "21");
    CHECK(at(text, "/list/2/x") == "30");
    CHECK(at(text, "/yes") == "true");
    CHECK(at(text, "/no") == "null");
    CHECK(at(text, "/text") == R"(a\"b)");
    for (const auto* none : {"/cod", "/codes", "/code/0", "/list/3", "/list/00", "/list/x",
                             "/list/-", "/error/data/retryAfter/x", "/x"}) {
        CHECK(at(text, none) == "-");
    }
    CHECK(find(text, pointer(""))->kind == Kind::object);
    CHECK(find(text, pointer("/list"))->kind == Kind::array);
}

TEST_CASE("a text may be one scalar") {
    CHECK(at("  429 ", "") == "429");
    CHECK(at("\"x\"", "") == "x");
    CHECK(at("null", "") == "null");
    CHECK(at("", "") == "-");
    CHECK(at("  ", "") == "-");
}

TEST_CASE("J2: what stands before the value is checked, what stands behind it is not") {
    CHECK(at(R"({"code":-1003,"msg":"cut o)", "/code") == "-1003");
    CHECK(at(R"({"code":-1003)", "/code") == "-");  // may have been -10031
    CHECK(at(R"({"code":"-1003)", "/code") == "-");
    CHECK(at(R"({"code":-1003}})", "/code") == "-1003");
    for (const auto* broken :
         {R"({"a":01,"code":1})",       R"({"a":1,,"code":1})",      R"({"a" 1,"code":1})",
          R"({a:1,"code":1})",          R"({"a":[1,],"code":1})",    R"({"a":{"b":1,},"code":1})",
          R"({"a":[1},"code":1})",      R"({"a":+1,"code":1})",      R"({"a":.5,"code":1})",
          R"({"a":1.,"code":1})",       R"({"a":1e,"code":1})",      R"({"a":-,"code":1})",
          R"({"a":nul,"code":1})",      R"({"a":True,"code":1})",    R"({"a":"\x","code":1})",
          R"({"a":"\u12g4","code":1})", "{\"a\":\"\n\",\"code\":1}", R"({'a':1,"code":1})",
          R"(<html>"code":1</html>)",   R"([{"code":1}])",           R"("code":1)",
          "{\"a\":\"\x01\",\"code\":1}"}) {
        CAPTURE(broken);
        CHECK(at(broken, "/code") == "-");
    }
    CHECK(at("{\"a\":\"\xff\xfe\",\"code\":1}", "/code") == "1");
    CHECK(at("{\"a\":\"\0\",\"code\":1}"sv, "/code") == "-");
    CHECK(at("{\"a\":1,\0\"code\":1}"sv, "/code") == "-");
}

TEST_CASE("J3: of two members with one name the first counts") {
    CHECK(at(R"({"code":1,"code":2})", "/code") == "1");
    CHECK(at(R"({"a":{},"a":{"code":2}})", "/a/code") == "2");
}

TEST_CASE("J4: a star stands for every element of an array") {
    constexpr auto text = R"({"data":[{"sCode":"0"},{"x":1},{"sCode":"50011"},7],"*":9})"sv;
    CHECK(all_at(text, "/data/*/sCode") == std::vector<std::string>{"0", "50011"});
    CHECK(all_at(text, "/data/*").size() == 4);
    CHECK(all_at(text, "/*").empty());
    CHECK(all_at(R"({"error":["a","b"]})", "/error/*") == std::vector<std::string>{"a", "b"});
    CHECK(all_at(R"([[1,2],[3]])", "/*/*") == std::vector<std::string>{"1", "2", "3"});
    CHECK(all_at(R"([[1,2],[3]])", "/*/0") == std::vector<std::string>{"1", "3"});
    CHECK(all_at(R"({"error":["a","b)", "/error/*") == std::vector<std::string>{"a"});
}

TEST_CASE("escapes in names and texts are resolved") {
    CHECK(at(R"({"c\u006fde":1})", "/code") == "1");
    CHECK(at(R"({"a\/b":1})", "/a~1b") == "1");
    TextBuffer buffer;
    const auto text_at_root = [&](std::string_view text) {
        const auto value = find(text, pointer(""));
        REQUIRE(value);
        return std::string(text_of(*value, buffer));
    };
    CHECK(text_at_root(R"("You\u0027ve \"\\\/\b\f\n\r\t")") == "You've \"\\/\b\f\n\r\t");
    CHECK(text_at_root(R"("\u00e9\u20AC\ud83d\ude00")") == "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    CHECK(text_at_root(R"("\ud83dx\ude00")") == "\xef\xbf\xbdx\xef\xbf\xbd");
    CHECK(text_at_root(R"("\ud83d\u0041")") ==
          "\xef\xbf\xbd"
          "A");
    CHECK(text_at_root(R"("\ud83d\uffff")") == "\xef\xbf\xbd\xef\xbf\xbf");
    CHECK(text_at_root("12") == "12");
    CHECK(text_at_root("true").empty());
    CHECK(text_at_root("\"" + std::string(5000, 'x') + "\"").size() == text_bytes_max);
    CHECK(text_at_root("\"" + std::string(5000, 'x') + "\\n\"").size() == text_bytes_max);
    CHECK(text_at_root("\"" + std::string(4094, 'x') + "\\u20ac\"").size() == 4094);
}

TEST_CASE("numbers and numeric strings equal one literal, booleans only booleans") {
    const auto is = [](std::string_view text, const Literal& literal) {
        return equals(*find(text, pointer("")), literal);
    };
    CHECK(is("-1003", {"-1003", false}));
    CHECK(is("\"-1003\"", {"-1003", false}));
    CHECK(is("\"\\u0030\"", {"0", false}));
    CHECK_FALSE(is("-1003.0", {"-1003", false}));
    CHECK_FALSE(is("true", {"true", false}));
    CHECK(is("true", {"true", true}));
    CHECK_FALSE(is("\"true\"", {"true", true}));
    CHECK_FALSE(is("null", {"null", false}));
    CHECK_FALSE(is("[1]", {"[1]", false}));
}

TEST_CASE("J1: it goes sixty-four levels deep and no further") {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + "1" + std::string(levels, ']');
    };
    CHECK(shape_of(nested(64)) == JsonShape::whole);
    CHECK(shape_of(nested(65)) == JsonShape::not_judged);
    CHECK(shape_of(nested(500'000)) == JsonShape::not_judged);
    CHECK(at("{\"deep\":" + nested(100) + ",\"code\":1}", "/code") == "-");
    CHECK(at("{\"code\":1,\"deep\":" + nested(100) + "}", "/code") == "1");
    CHECK(shape_of(std::string(100, '[')) == JsonShape::not_judged);
}

TEST_CASE("J1: it looks at the first mebibyte and no further") {
    const std::string blanks(body_bytes_max, ' ');
    CHECK(at(blanks + R"({"code":1})", "/code") == "-");
    CHECK(shape_of(blanks + "1") == JsonShape::not_judged);
    const std::string large = R"({"code":1,"pad":")" + std::string(10'000'000, 'x') + "\"}";
    CHECK(at(large, "/code") == "1");
    CHECK(at(large, "/pad") == "-");
    CHECK(shape_of(large) == JsonShape::not_judged);
}

TEST_CASE("a text is whole, broken, or more than is judged") {
    for (const auto* text : {"{}", "[]", " [1,{\"a\":[]}] ", "1", "\"\"", "true", "-0.5e+10"}) {
        CAPTURE(text);
        CHECK(shape_of(text) == JsonShape::whole);
    }
    for (const auto* text : {"", " ", "{", "[1", "{}}", "{} x", "[1,2", "{\"a\":1", "<html>", "nul",
                             "1 2", "\"a", "{\"a\"}", "[,]", "\xff"}) {
        CAPTURE(text);
        CHECK(shape_of(text) == JsonShape::broken);
    }
}
