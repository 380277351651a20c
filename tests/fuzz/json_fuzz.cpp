// SPDX-License-Identifier: Apache-2.0
//
// The first line is a pointer, the rest a text.
#include "fuzz.hpp"
#include "venue/json_text.hpp"
#include "venue/json_walk.hpp"
#include "venue/profile.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

namespace {

void check_value(const venue::JsonValue& value, std::string_view text) {
    const bool is_inside = value.raw.data() >= text.data() &&
                           value.raw.data() + value.raw.size() <= text.data() + text.size();
    require(is_inside, "a value lies in its text");
    venue::TextBuffer buffer;
    const auto decoded = venue::text_of(value, buffer);
    require(decoded.size() <= venue::text_bytes_max, "a text is bounded");
    if (value.kind == venue::JsonValue::Kind::string && value.raw.size() < 1000) {
        require(venue::equals(value, decoded), "a string equals its own text");
        require(venue::equals(value, venue::Literal{std::string(decoded), false}),
                "a string equals its literal");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto text = text_of(data, size);
    const auto pointer = venue::JsonPointer::parse(take_line(text));
    const auto shape = venue::shape_of(text);
    const auto whole = venue::find(text, venue::JsonPointer());
    require(shape != venue::JsonShape::whole || whole.has_value(), "a whole text has a value");
    if (!pointer) return 0;
    std::size_t found = 0;
    venue::JsonWalk walk(text, *pointer);
    while (const auto value = walk.next()) {
        check_value(*value, text);
        require(++found <= text.size() + 1, "there are no more values than bytes");
    }
    require(!walk.next(), "what has ended stays so");
    require(venue::find(text, *pointer).has_value() == (found > 0), "find takes the first");
    return 0;
}
