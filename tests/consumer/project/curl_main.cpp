// SPDX-License-Identifier: Apache-2.0
//
// One call through the libcurl adapter, at a port where nobody listens: refused before a byte left.
#include <cstdio>

#include <ratecoord/curl.hpp>
#include <ratecoord/retry.hpp>

int main() {
    const ratecoord::LimitDefinition requests{.name = "requests",
                                              .kind = ratecoord::LimitKind::bucket,
                                              .quota = 100,
                                              .window = std::chrono::seconds(1),
                                              .burst = 50};
    auto budget = ratecoord::Budget::open("curl-consumer", {requests}, {.full = true});
    const auto cost = budget ? budget->cost({{"requests", 1}})
                             : ratecoord::Result<ratecoord::Cost>(ratecoord::Cost());
    if (!budget || !cost) return 1;
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1:9/");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    ratecoord::CallResult result;
    {
        ratecoord::CurlExchange exchange(easy);
        std::string body;
        result = ratecoord::call(*budget, *cost, {.attempts = 1},
                                 [&](const ratecoord::Permit&) { return exchange.perform(body); });
    }
    curl_easy_cleanup(easy);
    std::printf("curl consumer: %s\n", ratecoord::name_of(result.state));
    return result.state == ratecoord::CallState::not_sent ? 0 : 1;
}
