// SPDX-License-Identifier: Apache-2.0
//
// Text signals and everything around them. First line: a pattern. Second: status. Then header lines
// up to an empty one, then the body.
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "venue/number.hpp"
#include "venue/profile_reader.hpp"
#include "venue/reading.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

namespace {

constexpr std::string_view profile_text = R"(
schema = 1
name = "fuzz"
title = "Fuzz"
as_of = 2026-07-21
source = "here"
confidence = "C"
frame_status = "/status"
firewall_403 = true
[limits.weight]
kind = "fixed"
quota = 6000
window = "1m"
[limits.orders]
kind = "rolling"
quota = 100
window = "10s"
per = "account"
[operations.order]
intent = "open"
cost = { weight = 1, orders = 1 }
charge.ok = { weight = 0 }
[[feedback]]
limit = "weight"
header = "used"
means = "used"
reset = { header = "reset", unit = "epoch-s" }
[[feedback]]
limit = "orders"
array = "/rateLimits"
where = { type = "ORDERS", n = 10 }
field = "count"
means = "used"
[[signals]]
name = "ban"
status = 418
action = "ban"
longest = true
wait = [
  { from = "retry-after" },
  { from = "body", at = "/data/*/until", unit = "epoch-ms", now_at = "/now" },
  { from = "header", name = "reset", unit = "countdown-ms" },
  { from = "text", in = "/msg", after = "banned until ", unit = "epoch-ms" },
  { from = "text", after = "until ", unit = "epoch-s", now_header = "clock" },
]
[[signals]]
name = "item"
body = "/data/*/code"
equals = [50011, true]
action = "pause"
scope = "key"
per = "account"
wait = [{ from = "window", limit = "orders" }]
partly_done = { at = "/data/*/code", equals = 0 }
[[signals]]
name = "text"
text = "*too*many*?requests*"
action = "retry-later"
[[signals]]
name = "message"
text = "*rate limit*"
text_in = "/error/*"
action = "overload"
charged = false
)";

const venue::Profile& profile() {
    static const auto made = [] {
        venue::Findings findings;
        auto read =
            venue::read_profile({"fuzz.toml", std::string(profile_text)}, nullptr, findings);
        require(read.has_value(), "the profile is sound");
        return std::move(*read);
    }();
    return made;
}

std::vector<Header> take_headers(std::string_view& text) {
    std::vector<Header> headers;
    while (headers.size() < 100 && !text.empty()) {
        const auto line = take_line(text);
        if (line.empty()) break;
        const auto colon = line.find(':');
        headers.push_back(
            {line.substr(0, colon), colon == std::string_view::npos ? "" : line.substr(colon + 1)});
    }
    return headers;
}

void check_reading(const venue::Reading& reading) {
    require(reading.wait_ns >= 0, "a wait is not negative");
    require(reading.wait_ns <= profile().longest_wait.count(), "a wait is bounded");
    const bool stops = reading.action == Action::pause || reading.action == Action::ban;
    require(!stops || reading.wait_ns > 0, "a stop has a wait");
    require(stops == (reading.scope != Scope::request), "only a stop concerns others");
    require(reading.charge_count <= venue::charges_max, "charges are bounded");
    for (const auto& count : reading.counts.all()) {
        require(count.limit < profile().limits.size(), "a count is of a limit");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto text = text_of(data, size);
    const auto pattern = take_line(text);
    const auto status = venue::parse_count(take_line(text));
    const auto headers = take_headers(text);
    if (pattern.size() <= venue::pattern_longest) {
        const venue::Pattern glob(pattern);
        (void)glob.matches(text.substr(0, venue::text_bytes_max));
        const bool is_plain = pattern.find_first_of("*?") == std::string_view::npos;
        require(!is_plain || glob.matches(pattern), "a plain pattern matches itself");
    }
    Reply reply;
    reply.status = static_cast<int>(status.value_or(0) % 1000);
    reply.headers = headers;
    reply.body = text;
    reply.is_whole = pattern.size() % 7 != 0;
    const venue::Times times{BootTime(std::chrono::seconds(1000)), 1'893'456'000 * venue::second_ns,
                             BootTime(std::chrono::seconds(995))};
    check_reading(venue::read(profile(), reply, 0, times));
    check_reading(venue::read(profile(), reply, venue::no_index, times));
    return 0;
}
