// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/curl.hpp>

#include <map>
#include <memory>

#include "retry/wire_server.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using Then = WireServer::Then;

namespace {

struct Handle {
    CURL* easy = curl_easy_init();
    Handle() {
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 20'000L);
    }
    ~Handle() { curl_easy_cleanup(easy); }
    void get(const std::string& url) {
        curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    }
    void post(const std::string& url) {
        curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "side=BUY");
    }
};

struct Client : Handle {
    std::string body;
    CurlExchange exchange{easy};
    Reply get(const std::string& url) {
        Handle::get(url);
        return exchange.perform(body);
    }
    Reply post(const std::string& url) {
        Handle::post(url);
        return exchange.perform(body);
    }
};

std::string_view header(const Reply& reply, std::string_view name) {
    for (const Header& each : reply.headers) {
        if (each.name == name) return each.value;
    }
    return "(none)";
}

/// A port of loopback that refuses connections.
std::string refusing_url() {
    const WireServer gone({});
    return gone.url();
}

}  // namespace

TEST_CASE("curl: status, header lines and body are handed over as they came") {
    const WireServer server(
        {{{http_answer(429, R"({"code":-1003})",
                       "Retry-After:  7 \r\nX-Empty:\r\nx-mbx-used-weight-1m: 6001\r\n")}}});
    Client client;
    const Reply reply = client.get(server.url("/depth"));
    CHECK(reply.status == 429);
    CHECK(reply.transport == Transport::replied);
    CHECK(reply.is_whole);
    CHECK(reply.body == R"({"code":-1003})");
    CHECK(header(reply, "Retry-After") == "7");
    CHECK(header(reply, "X-Empty").empty());
    CHECK(header(reply, "x-mbx-used-weight-1m") == "6001");
    CHECK(reply.received_at != BootTime{});
    CHECK(server.requests() == std::vector<std::string>{"GET /depth HTTP/1.1"});
}

TEST_CASE("curl: headers of interim replies do not count, and a second transfer starts anew") {
    const WireServer server(
        {{{"HTTP/1.1 103 Early\r\nRetry-After: 99\r\n\r\n" + http_answer(200, "one", "A: 1\r\n")},
          {http_answer(200, "two", "B: 2\r\n")}}});
    Client client;
    const Reply first = client.get(server.url());
    CHECK(header(first, "Retry-After") == "(none)");
    CHECK(header(first, "A") == "1");
    CHECK(first.body == "one");
    const Reply second = client.get(server.url());
    CHECK(header(second, "A") == "(none)");
    CHECK(header(second, "B") == "2");
    CHECK(second.body == "two");
}

TEST_CASE(
    "E16: on a connection that dies under it a POST is sent once; libcurl alone sends it twice") {
    const std::vector<WireServer::Connection> script{
        {{http_answer(200)}, {.answer = "", .then = Then::close}}, {{http_answer(200)}}};
    {
        const WireServer server(script);
        Client client;
        CHECK(client.get(server.url("/time")).status == 200);
        const Reply lost = client.post(server.url("/order"));
        CHECK(lost.transport == Transport::maybe_sent);
        CHECK(lost.status == 0);
        CHECK(client.exchange.resends_stopped() == 1);
        CHECK(server.requests() ==
              std::vector<std::string>{"GET /time HTTP/1.1", "POST /order HTTP/1.1"});
    }
    // E24: the same without the adapter. This is what the rule is there for.
    const WireServer server(script);
    Handle plain;
    std::string ignored;
    curl_easy_setopt(
        plain.easy, CURLOPT_WRITEFUNCTION,
        +[](char*, std::size_t size, std::size_t count, void*) { return size * count; });
    plain.get(server.url("/time"));
    CHECK(curl_easy_perform(plain.easy) == CURLE_OK);
    plain.post(server.url("/order"));
    CHECK(curl_easy_perform(plain.easy) == CURLE_OK);
    CHECK(server.requests().size() == 3);
}

TEST_CASE(
    "E16: closed before it was read, while it was read, after it was read: never two executions") {
    const std::vector<WireServer::Turn> ends{{.then = Then::close, .read_most = 10},
                                             {.then = Then::reset, .read_most = 10},
                                             {.then = Then::reset},
                                             {.then = Then::close}};
    for (const auto& end : ends) {
        const WireServer server({{{http_answer(200)}, end}, {{http_answer(200)}}});
        Client client;
        CHECK(client.get(server.url("/time")).status == 200);
        const Reply reply = client.post(server.url("/order"));
        CHECK(reply.transport == Transport::maybe_sent);
        const auto requests = server.requests();
        CHECK(std::count(requests.begin(), requests.end(), "POST /order HTTP/1.1") <= 1);
    }
    // The idle connection is closed at once: whether libcurl notices or not, one order arrives.
    const WireServer server(
        {{{.answer = http_answer(200), .then = Then::close}}, {{http_answer(200)}}});
    Client client;
    CHECK(client.get(server.url("/time")).status == 200);
    const Reply reply = client.post(server.url("/order"));
    CHECK((reply.status == 200 || reply.transport == Transport::maybe_sent));
    CHECK(server.requests().size() <= 2);
}

TEST_CASE("curl: a redirect is an answer, not a second request") {
    const WireServer server(
        {{{http_answer(307, "moved", "Location: /elsewhere\r\n")}, {http_answer(200)}}});
    Client client;
    curl_easy_setopt(client.easy, CURLOPT_FOLLOWLOCATION, 1L);
    const Reply reply = client.post(server.url("/order"));
    CHECK(reply.status == 307);
    CHECK(reply.is_whole);
    CHECK(header(reply, "Location") == "/elsewhere");
    CHECK(client.exchange.resends_stopped() == 1);
    CHECK(server.requests().size() == 1);
}

TEST_CASE("E17, curl: refused, unresolved, no TLS, no tunnel, not connected in time: not sent") {
    Client client;
    CHECK(client.post(refusing_url()).transport == Transport::not_sent);
    CHECK(client.post("http://" + std::string(64, 'a') + ".invalid/").transport ==
          Transport::not_sent);
    CHECK(client.post("gopher-of-sorts://127.0.0.1/").transport == Transport::not_sent);
    {
        const WireServer plain(
            {{{.answer = "no TLS here\r\n", .then = Then::close, .read_most = 5}}});
        CHECK(client.post("https://127.0.0.1:" + std::to_string(plain.port()) + "/").transport ==
              Transport::not_sent);
    }
    {
        const WireServer proxy({{{http_answer(403, "no")}}});
        Client tunnelled;
        const std::string through = proxy.url("");
        curl_easy_setopt(tunnelled.easy, CURLOPT_PROXY, through.c_str());
        curl_easy_setopt(tunnelled.easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
        const Reply reply = tunnelled.post("http://192.0.2.1/order");
        CHECK(reply.transport == Transport::not_sent);
        CHECK(reply.status == 0);
        CHECK(proxy.requests() == std::vector<std::string>{"CONNECT 192.0.2.1:80 HTTP/1.1"});
    }
    {
        // TLS towards a server that never answers the handshake.
        const WireServer silent({{{.answer = ""}}});
        Client waiting;
        curl_easy_setopt(waiting.easy, CURLOPT_TIMEOUT_MS, 50L);
        CHECK(waiting.post("https://127.0.0.1:" + std::to_string(silent.port()) + "/").transport ==
              Transport::not_sent);
    }
}

TEST_CASE("E17, curl: reset after the send, no answer in time, cut off in the head: maybe sent") {
    for (const auto& turn : std::vector<WireServer::Turn>{{.then = Then::reset},
                                                          {.then = Then::close},
                                                          {.answer = "HT", .then = Then::close},
                                                          {.answer = ""}}) {
        const WireServer server({{turn}});
        Client client;
        curl_easy_setopt(client.easy, CURLOPT_TIMEOUT_MS, turn.then == Then::go_on ? 50L : 20'000L);
        const Reply reply = client.post(server.url("/order"));
        CHECK(reply.transport == Transport::maybe_sent);
        CHECK(reply.status == 0);
        CHECK_FALSE(reply.is_whole);
    }
}

TEST_CASE("E17, curl: a 200 that is cut off, cannot be decoded or is too long is not whole") {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
    {
        const WireServer server({{{.answer = head + "{\"orderId\"", .then = Then::close}}});
        Client client;
        const Reply reply = client.post(server.url());
        CHECK(reply.status == 200);
        CHECK(reply.transport == Transport::replied);
        CHECK_FALSE(reply.is_whole);
        CHECK(reply.body == "{\"orderId\"");
    }
    {
        const WireServer server({{{http_answer(200, "no gzip", "Content-Encoding: gzip\r\n")}}});
        Client client;
        curl_easy_setopt(client.easy, CURLOPT_ACCEPT_ENCODING, "");
        const Reply reply = client.post(server.url());
        CHECK(reply.status == 200);
        CHECK_FALSE(reply.is_whole);
    }
    {
        const WireServer server(
            {{{http_answer(200, std::string(CurlExchange::body_most + 1, 'x'))}}});
        Client client;
        const Reply reply = client.get(server.url());
        CHECK(reply.status == 200);
        CHECK_FALSE(reply.is_whole);
        CHECK(reply.body.size() == CurlExchange::body_most);
    }
}

TEST_CASE("curl: behind 200 KB of header lines Retry-After is still found") {
    std::string noise;
    for (int i = 0; i < 2'000; ++i) {
        noise += "X-Noise-" + std::to_string(i) + ": " + std::string(80, 'n') + "\r\n";
    }
    const WireServer server({{{http_answer(429, "{}", noise + "retry-after: 11\r\n")}}});
    Client client;
    const Reply reply = client.get(server.url());
    CHECK(reply.status == 429);
    CHECK(header(reply, "retry-after") == "11");
    CHECK(header(reply, "X-Noise-0") == std::string(80, 'n'));
    CHECK(reply.headers.size() <= HeaderViews::most);
}

TEST_CASE("curl multi: each of twenty transfers is named once, with a reply of its own") {
    std::vector<WireServer::Connection> script(20, {{http_answer(200, "ok")}});
    script.push_back({{http_answer(503, "late")}});
    const WireServer server(script);
    CURLM* const multi = curl_multi_init();
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 20; ++i) {
        auto& client = *clients.emplace_back(std::make_unique<Client>());
        client.Handle::get(server.url("/" + std::to_string(i)));
        client.exchange.begin(client.body);
        // Served one after the other: each makes room for the next.
        curl_easy_setopt(client.easy, CURLOPT_FORBID_REUSE, 1L);
        curl_multi_add_handle(multi, client.easy);
    }
    std::map<CURL*, int> statuses;
    int running = 1;
    while (statuses.size() < 20) {
        curl_multi_perform(multi, &running);
        for_each_done(multi, [&](CURL* easy, CURLcode outcome) {
            for (auto& client : clients) {
                if (client->easy != easy) continue;
                const Reply reply = client->exchange.finish(outcome);
                CHECK(reply.body == "ok");
                CHECK(statuses.emplace(easy, reply.status).second);
            }
            curl_multi_remove_handle(multi, easy);
        });
        if (running != 0) curl_multi_poll(multi, nullptr, 0, 1'000, nullptr);
    }
    for (const auto& [easy, status] : statuses) CHECK(status == 200);
    clients.clear();
    curl_multi_cleanup(multi);
}
