// SPDX-License-Identifier: Apache-2.0
#include "venue/http_date.hpp"

#include "fuzz.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::int64_t year_0 = -62'167'219'200;
    constexpr std::int64_t end_of_9999 = 253'402'300'800;
    auto text = text_of(data, size);
    const auto now = take_number(text);
    const auto date = venue::parse_http_date(text, now);
    if (!date) return 0;
    require(text.size() >= 24 && text.size() <= 33, "a date has 24 to 33 bytes");
    require(text.ends_with(" GMT") || text.size() == 24, "its zone is GMT, or it is asctime's");
    require(*date >= year_0 && *date <= end_of_9999, "its year has four digits");
    return 0;
}
