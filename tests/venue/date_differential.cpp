// SPDX-License-Identifier: Apache-2.0
//
// Dates against libcurl's reader. curl_getdate takes far more than HTTP allows: other zones, other
// orders, days that a month does not have (31 Nov is its 1 Dec). So the claim is one-sided: what we
// read, curl reads to the same second; and of the grammar's own texts nothing is missed.
//
// Differences, all of them: years below 1583, which curl refuses (the Gregorian calendar); and a
// year of two digits, where curl puts 71 to 99 into the last century for ever. With a `now` whose
// fiftieth year is 2070 both draw the line in one place.
#include <curl/curl.h>
#include <rapidcheck.h>

#include <string>

#include "support/catch.hpp"
#include "venue/date_text.hpp"
#include "venue/http_date.hpp"
#include "venue/mutation.hpp"

using namespace ratecoord::testing;
using ratecoord::venue::parse_http_date;

namespace {

constexpr std::int64_t end_of_2020 = 1'609'459'199;
constexpr std::int64_t year_1583 = -12'212'553'600;
constexpr std::int64_t end_of_9999 = 253'402'300'799;
constexpr std::int64_t year_1971 = 31'536'000;
constexpr std::int64_t end_of_2070 = 3'187'295'999;

std::int64_t by_curl(const std::string& text) {
    return curl_getdate(text.c_str(), nullptr);
}

std::int64_t any_epoch(DateForm form) {
    return form == DateForm::rfc850 ? *rc::gen::inRange(year_1971, end_of_2070 + 1)
                                    : *rc::gen::inRange(year_1583, end_of_9999 + 1);
}

DateForm any_form() {
    return *rc::gen::element(DateForm::imf, DateForm::rfc850, DateForm::asctime);
}

}  // namespace

TEST_CASE("differential: libcurl reads every date of the grammar as we do") {
    CHECK(rc::check("valid", [] {
        const auto form = any_form();
        const auto epoch = any_epoch(form);
        RC_PRE(epoch != -1);  // curl's error
        const auto text = date_text(epoch, form);
        RC_ASSERT(parse_http_date(text, end_of_2020) == epoch);
        RC_ASSERT(by_curl(text) == epoch);
    }));
}

TEST_CASE("differential: what we read of nearly right dates, libcurl reads to the same second") {
    int read = 0;
    CHECK(rc::check("mutated", [&] {
        const auto form = any_form();
        auto text = with_other_digits(date_text(any_epoch(form), form), *rc::gen::inRange(1, 8));
        text = mutated(text, *rc::gen::inRange(0, 2), "0123456789 ,:-GMTSunMonJanFeb");
        const auto ours = parse_http_date(text, end_of_2020);
        if (!ours || *ours < year_1583 || *ours == -1) return;
        ++read;
        RC_ASSERT(by_curl(text) == *ours);
    }));
    CHECK(read > 0);
}
