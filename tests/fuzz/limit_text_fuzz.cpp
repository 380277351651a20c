// SPDX-License-Identifier: Apache-2.0
//
// Limits, costs, durations and instants as a command line has them.
#include "fuzz.hpp"
#include "grammar/cost_text.hpp"
#include "grammar/duration.hpp"
#include "grammar/instant.hpp"
#include "grammar/limit_text.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

namespace {

template <class Value>
void check_refusal(const Result<Value>& read) {
    if (read) return;
    require(!read.error().message.empty(), "a refusal has a reason");
    require(read.error().message.find('\n') == std::string::npos, "of one line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = text_of(data, size);
    const auto limit = grammar::parse_limit(text);
    check_refusal(limit);
    if (limit) {
        const auto again = grammar::parse_limit(grammar::format_limit(*limit));
        require(again && *again == *limit, "a limit is read back as it was written");
    }
    const auto duration = grammar::parse_duration("duration", text);
    check_refusal(duration);
    if (duration) {
        const auto again = grammar::parse_duration("d", grammar::format_duration(*duration));
        require(again && *again == *duration, "a duration is read back as it was written");
    }
    check_refusal(grammar::parse_cost_item(text));
    check_refusal(grammar::parse_instant("instant", text));
    return 0;
}
