// SPDX-License-Identifier: Apache-2.0
//
// Our JSON reader against nlohmann::json, on texts that a generator wrote and on broken ones.
//
// Differences, all of them (each has a case below):
//   - bytes that are not UTF-8, and \u escapes of single surrogates: nlohmann refuses the text, we
//     pass them (a message in another encoding must not hide the code beside it);
//   - numbers whose value no double holds (1e999): we read the digits and never the value;
//   - a byte order mark in front, and a NUL byte as the end: nlohmann takes them, RFC 8259 does
//   not;
//   - a name that stands twice: nlohmann keeps the last, we stop at the first.
#include <rapidcheck.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "support/catch.hpp"
#include "venue/json_text.hpp"
#include "venue/json_walk.hpp"
#include "venue/mutation.hpp"

using namespace ratecoord::testing;
using namespace ratecoord::venue;
using Json = nlohmann::json;

namespace {

std::string any_text() {
    return *rc::gen::container<std::string>(
        rc::gen::element('a', 'b', '"', '\\', '/', '~', '\n', '\x01', ' ', '0', '*'));
}

/// With characters of two, three and four bytes.
std::string any_unicode() {
    std::string text = any_text();
    text += *rc::gen::element<std::string>("", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80");
    return text;
}

Json any_json(int depth) {
    switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
        case 0:
            return nullptr;
        case 1:
            return *rc::gen::arbitrary<bool>();
        case 2:
            return *rc::gen::arbitrary<std::int64_t>();
        case 3:
            return static_cast<double>(*rc::gen::arbitrary<std::int32_t>()) / 1024;
        case 4:
            return any_unicode();
        case 5: {
            Json array = Json::array();
            for (int i = *rc::gen::inRange(0, 4); i > 0; --i) array.push_back(any_json(depth - 1));
            return array;
        }
        default: {
            Json object = Json::object();
            for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
                object[any_text()] = any_json(depth - 1);
            }
            return object;
        }
    }
}

/// A place in `value`, as a pointer; "*" as a name has another meaning with us and is left out.
std::string any_place(const Json& value) {
    std::string place;
    const Json* at = &value;
    while (at->is_structured() && !at->empty() && *rc::gen::inRange(0, 5) != 0) {
        auto item = at->begin();
        std::advance(item,
                     *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(at->size())));
        std::string token =
            at->is_object() ? item.key() : std::to_string(std::distance(at->begin(), item));
        RC_PRE(token != "*");
        std::string escaped;
        for (const char c : token) {
            escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
        }
        place += "/" + escaped;
        at = &*item;
    }
    return place;
}

/// Whether we read what nlohmann holds.
bool is_same(const JsonValue& ours, const Json& theirs) {
    TextBuffer buffer;
    switch (ours.kind) {
        case JsonValue::Kind::null:
            return theirs.is_null();
        case JsonValue::Kind::boolean:
            return theirs.is_boolean() && (ours.raw == "true") == theirs.get<bool>();
        case JsonValue::Kind::number:
            return theirs.is_number() && Json::parse(ours.raw) == theirs;
        case JsonValue::Kind::string:
            return theirs.is_string() && text_of(ours, buffer) == theirs.get<std::string>() &&
                   equals(ours, theirs.get<std::string>());
        case JsonValue::Kind::array:
            return theirs.is_array();
        case JsonValue::Kind::object:
            return theirs.is_object();
    }
    return false;
}

std::string written(const Json& value) {
    return value.dump(*rc::gen::element(-1, 0, 2), ' ', *rc::gen::arbitrary<bool>());
}

bool is_utf8(const std::string& text) {
    try {
        (void)Json(text).dump();
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

/// One of the differences at the top that let nlohmann refuse what we pass.
bool explains_their_refusal(const std::string& text) {
    static const std::regex surrogate("\\\\u[dD][89a-fA-F]");
    static const std::regex huge("[eE][+]?[0-9]{3,}");
    return !is_utf8(text) || std::regex_search(text, surrogate) || std::regex_search(text, huge);
}

bool explains_our_refusal(const std::string& text) {
    return text.starts_with("\xef\xbb\xbf") || text.find('\0') != std::string::npos;
}

}  // namespace

TEST_CASE("differential: a value is found where nlohmann finds it") {
    CHECK(rc::check("valid", [] {
        const auto value = any_json(4);
        const auto text = written(value);
        const auto place = any_place(value);
        const auto pointer = JsonPointer::parse(place);
        RC_ASSERT(pointer.has_value());
        const auto ours = find(text, *pointer);
        RC_ASSERT(ours.has_value());
        RC_ASSERT(is_same(*ours, value.at(Json::json_pointer(place))));
    }));
}

TEST_CASE("differential: nothing is found where nlohmann finds nothing") {
    CHECK(rc::check("absent", [] {
        const auto value = any_json(3);
        const auto place =
            any_place(value) + *rc::gen::element<std::string>("/x", "/0", "/9", "/-");
        const auto pointer = JsonPointer::parse(place);
        RC_ASSERT(pointer.has_value());
        const bool theirs = value.contains(Json::json_pointer(place));
        RC_ASSERT(find(written(value), *pointer).has_value() == theirs);
    }));
}

TEST_CASE("differential: a text is whole where nlohmann accepts it, but for what is explained") {
    int accepted = 0;
    int refused = 0;
    CHECK(rc::check("mutated", [&] {
        const auto text = mutated(written(any_json(3)), *rc::gen::inRange(0, 4),
                                  "{}[]\",:0123eE+-.\\utrfn \n\xff\0\x01");
        const bool theirs = Json::accept(text);
        const bool ours = shape_of(text) == JsonShape::whole;
        ++(theirs ? accepted : refused);
        if (ours == theirs) return;
        const bool is_explained = ours ? explains_their_refusal(text) : explains_our_refusal(text);
        RC_ASSERT(is_explained);
    }));
    CHECK(accepted > 0);
    CHECK(refused > 0);
}

TEST_CASE("differential: the differences are those that are explained") {
    using namespace std::string_literals;
    for (const auto& text : {"\"\xff\""s, "\"\xc3\""s, R"("\ud83d")"s, R"("\ude00")"s, "1e999"s}) {
        CAPTURE(text);
        CHECK(shape_of(text) == JsonShape::whole);
        CHECK_FALSE(Json::accept(text));
        CHECK(explains_their_refusal(text));
    }
    for (const auto& text : {"\xef\xbb\xbf{}"s, "{}\0"s, "{}\0x"s}) {
        CAPTURE(text);
        CHECK(shape_of(text) == JsonShape::broken);
        CHECK(Json::accept(text));
        CHECK(explains_our_refusal(text));
    }
    const auto twice = R"({"code":1,"code":2})"s;
    CHECK(find(twice, *JsonPointer::parse("/code"))->raw == "1");
    CHECK(Json::parse(twice).at("code") == 2);
}
