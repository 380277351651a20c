// SPDX-License-Identifier: Apache-2.0
//
// What it costs to read a reply by the profile of its venue.
#include <algorithm>
#include <chrono>
#include <ratecoord/profile.hpp>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "curl_reply.hpp"
#include "stage.hpp"
#include "venue/reading.hpp"
#include "venue/retry_after.hpp"
#include "verdicts.hpp"

namespace bench {
namespace {

using ratecoord::Header;
using ratecoord::Reply;

constexpr std::int64_t now_s = 1'893'456'003;  // 2030-01-01T00:00:03Z

/// Keeps the compiler from leaving out what nobody looks at.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

/// Best of nine runs of `times` calls, in nanoseconds a call.
template <class Call>
double best_ns(int times, Call&& call) {
    double best = 1e18;
    for (int run = 0; run < 9; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < times; ++i) call();
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, spent.count() / times);
    }
    return best;
}

/// What Binance sends with every reply, as far as it has been seen.
std::vector<Header> usual_headers() {
    return {{"content-type", "application/json;charset=UTF-8"},
            {"content-length", "147"},
            {"date", "Tue, 01 Jan 2030 00:00:03 GMT"},
            {"server", "nginx"},
            {"x-mbx-uuid", "5a3a1c6c-0c8f-4f0c-9f5e-1d1f0a6d7c3b"},
            {"x-mbx-used-weight", "137"},
            {"x-mbx-used-weight-1m", "137"},
            {"strict-transport-security", "max-age=31536000; includeSubdomains"},
            {"x-frame-options", "SAMEORIGIN"},
            {"x-xss-protection", "1; mode=block"},
            {"x-content-type-options", "nosniff"},
            {"cache-control", "no-cache, no-store, must-revalidate"},
            {"pragma", "no-cache"},
            {"expires", "0"},
            {"x-cache", "Miss from cloudfront"},
            {"via", "1.1 0123456789abcdef.cloudfront.net (CloudFront)"},
            {"x-amz-cf-pop", "FRA56-P1"},
            {"x-amz-cf-id", "0123456789abcdef0123456789abcdef0123456789abcdef"}};
}

class Scene {
  public:
    Scene() : profile_(must(ratecoord::Profile::load("binance-spot"))), headers_(usual_headers()) {}

    double ns(int times, int status, std::string_view operation, std::string_view body) const {
        Reply reply;
        reply.status = status;
        reply.headers = headers_;
        reply.body = body;
        const auto& model = profile_.model();
        const auto index = model.find_operation(operation);
        if (index == ratecoord::venue::no_index) give_up("no operation of that name");
        const ratecoord::venue::Times times_now{
            ratecoord::BootTime(std::chrono::seconds(1000)), now_s * 1'000'000'000, {}};
        return best_ns(times,
                       [&] { keep(ratecoord::venue::read(model, reply, index, times_now)); });
    }

  private:
    ratecoord::Profile profile_;
    std::vector<Header> headers_;
};

std::string book(std::size_t levels) {
    std::string text = R"({"lastUpdateId":1027024,"bids":[)";
    for (std::size_t i = 0; i < levels; ++i) {
        text += (i == 0 ? "" : ",") + std::string(R"(["4.00000000","431.00000000"])");
    }
    return text + R"(],"asks":[]})";
}

void measure_retry_after(Verdicts& verdicts) {
    const auto row = [&](const std::string& what, std::string_view value) {
        verdicts.add(
            "Retry-After, " + what,
            best_ns(200'000, [&] { keep(ratecoord::venue::parse_retry_after(value, now_s)); }),
            "ns", Bar::at_most(200));
    };
    row("seconds", "41");
    row("IMF-fixdate", "Tue, 01 Jan 2030 00:00:41 GMT");
    row("RFC 850", "Tuesday, 01-Jan-30 00:00:41 GMT");
    row("asctime", "Tue Jan  1 00:00:41 2030");
}

void measure_replies(Verdicts& verdicts) {
    constexpr std::string_view ack =
        R"({"symbol":"ABCUSDT","orderId":7002,"orderListId":-1,"clientOrderId":"bot3-000018",)"
        R"("transactTime":1893456003210,"price":"0.10","origQty":"5","status":"NEW"})";
    constexpr std::string_view refusal =
        R"({"code":-1003,"msg":"Too much request weight used; current limit is 6000 request )"
        R"(weight per 1 MINUTE. Please use WebSocket Streams for live updates."})";
    const Scene scene;
    const auto before = allocations();
    const double plain = scene.ns(20'000, 200, "order", {});
    const auto after = allocations();
    verdicts.add("reply, headers alone", plain, "ns", Bar::at_most(2000));
    verdicts.add("  allocations", static_cast<double>(after - before), "", Bar::at_most(0));
    verdicts.add("reply, order accepted", scene.ns(20'000, 200, "order", ack), "ns",
                 Bar::at_most(2000));
    verdicts.add("reply, 429", scene.ns(20'000, 429, "ping", refusal), "ns", Bar::at_most(2000));
    const auto large = book(5000);
    verdicts.add("reply, depth of " + std::to_string(large.size() / 1000) + " kB",
                 scene.ns(20, 200, "depth", large) / 1e3, "us");
}

}  // namespace
}  // namespace bench

int main() {
    return bench::run_program([] {
        bench::Verdicts verdicts("ratecoord_replies");
        bench::measure_retry_after(verdicts);
        bench::measure_replies(verdicts);
        bench::measure_observe(verdicts);
        return verdicts.finish();
    });
}
