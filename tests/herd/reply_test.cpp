// SPDX-License-Identifier: Apache-2.0
#include "herd/reply.hpp"

#include "support/catch.hpp"

using herd::read_retry_after;
using herd::Verdict;
using herd::verdict_of;

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t noon_utc = 784'111'777 * second;  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace

TEST_CASE("a status says whether to go on, to wait, to stop or to let it be") {
    CHECK(verdict_of(200) == Verdict::accepted);
    CHECK(verdict_of(204) == Verdict::accepted);
    CHECK(verdict_of(429) == Verdict::limited);
    CHECK(verdict_of(418) == Verdict::banned);
    CHECK(verdict_of(403) == Verdict::banned);
    CHECK(verdict_of(400) == Verdict::rejected);
    CHECK(verdict_of(401) == Verdict::rejected);
    CHECK(verdict_of(503) == Verdict::failed);
    CHECK(verdict_of(0) == Verdict::failed);
}

TEST_CASE("a named wait is whole seconds or a date ahead") {
    CHECK(read_retry_after(" 7\r\n", noon_utc) == 7 * second);
    CHECK(read_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", noon_utc) == 10 * second);
    CHECK(read_retry_after("86400", noon_utc) == 86'400 * second);
}

TEST_CASE("a wait that cannot be used is no wait of length 0") {
    for (const char* const text :
         {"", "   ", "0", "-1", "+5", "1e400", "nan", "7.5", "7 s", "0x10",
          "Fri, 31 Dec 1993 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 08:49:47", "1 Jan 2000 0:00 +99999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(read_retry_after(text, noon_utc).has_value());
    }
}

TEST_CASE("a wait that is too long saturates") {
    CHECK(read_retry_after("99999999999999999999999", noon_utc) == herd::longest_stop_ns);
    CHECK(read_retry_after("999999999999", noon_utc) == herd::longest_stop_ns);
    CHECK(read_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", noon_utc) == herd::longest_stop_ns);
}
