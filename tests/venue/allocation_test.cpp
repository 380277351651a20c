// SPDX-License-Identifier: Apache-2.0
//
// E5: reading a reply allocates nothing. Every operator new of this program is counted.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "venue/sample.hpp"

namespace {

std::atomic<std::uint64_t> news{0};

void* counted(std::size_t size) {
    news.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::uint64_t news_of_reading(const venue::Profile& profile, const Reply& reply,
                              std::uint16_t operation) {
    const venue::Times times{boot_now, t0_s * second, boot_now};
    (void)venue::read(profile, reply, operation, times);  // statics are made once
    const auto before = news.load();
    const auto reading = venue::read(profile, reply, operation, times);
    const auto after = news.load();
    CHECK(reading.received_at == boot_now);
    return after - before;
}

}  // namespace

TEST_CASE("the counter counts") {
    const auto before = news.load();
    const auto text = std::make_unique<std::string>(100, 'x');
    CHECK(text->size() == 100);
    CHECK(news.load() - before >= 2);
}

TEST_CASE("E5: replies of headers alone allocate nothing") {
    const std::vector<Header> headers{{"Date", t0_date},
                                      {"Retry-After", "41"},
                                      {"x-mbx-used-weight-1m", "137"},
                                      {"x-mbx-order-count-10s", "6"},
                                      {"X-Bapi-Limit-Status", "7"},
                                      {"X-Bapi-Limit-Reset-Timestamp", "1893456001000"}};
    for (const auto* profile : {&binance(), &bybit(), &plain()}) {
        for (const int status : {200, 400, 403, 418, 429, 503}) {
            Reply reply;
            reply.status = status;
            reply.headers = headers;
            for (std::size_t i = 0; i <= profile->operations.size(); ++i) {
                CHECK(news_of_reading(*profile, reply, static_cast<std::uint16_t>(i)) == 0);
            }
        }
    }
}

TEST_CASE("E5: replies with bodies allocate nothing either") {
    const std::string large = R"({"msg":"\u0041)" + std::string(2'000'000, 'x') + "\"}";
    for (const std::string_view body :
         {std::string_view(R"({"code":-1015,"msg":"Too many \u006eew orders"})"),
          std::string_view(R"({"status":429,"error":{"data":{"retryAfter":1893456060000}}})"),
          std::string_view(R"({"retCode":0,"retExtInfo":{"list":[{"code":10006}]}})"),
          std::string_view("<html>banned until 1</html>"), std::string_view(large)}) {
        for (const auto* profile : {&binance(), &bybit()}) {
            for (const int status : {0, 200, 418, 429}) {
                Reply reply;
                reply.status = status;
                reply.body = body;
                CHECK(news_of_reading(*profile, reply, 1) == 0);
            }
        }
    }
}
