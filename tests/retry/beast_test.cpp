// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/beast.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "retry/wire_server.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using Then = WireServer::Then;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;

namespace {

struct Client {
    boost::asio::io_context loop;
    beast::tcp_stream stream{loop};
    BeastExchange exchange;

    explicit Client(const WireServer& server) { connect(server); }
    void connect(const WireServer& server) {
        stream.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), server.port()));
    }
    Reply send(http::verb verb, bool is_async,
               std::chrono::milliseconds wait = std::chrono::seconds(20)) {
        http::request<http::string_body> request{verb, "/order", 11};
        request.set(http::field::host, "localhost");
        request.body() = verb == http::verb::post ? "side=BUY" : "";
        request.prepare_payload();
        if (!is_async) return exchange.perform(stream, request);
        Reply result;
        stream.expires_after(wait);
        exchange.async_perform(stream, request, [&](Reply reply) { result = reply; });
        loop.restart();
        loop.run();
        return result;
    }
};

std::string_view header(const Reply& reply, std::string_view name) {
    for (const Header& each : reply.headers) {
        if (each.name == name) return each.value;
    }
    return "(none)";
}

}  // namespace

TEST_CASE("beast: status, header lines and body are views, over one connection that is kept") {
    for (const bool is_async : {false, true}) {
        const WireServer server({{{http_answer(200, "one", "X-Mbx-Used-Weight-1m: 5\r\n")},
                                  {http_answer(429, "two", "Retry-After: 3\r\n")}}});
        Client client(server);
        const Reply first = client.send(http::verb::post, is_async);
        CHECK(first.status == 200);
        CHECK(first.body == "one");
        CHECK(first.is_whole);
        CHECK(header(first, "X-Mbx-Used-Weight-1m") == "5");
        CHECK(client.exchange.keeps_alive());
        const Reply second = client.send(http::verb::get, is_async);
        CHECK(second.status == 429);
        CHECK(second.body == "two");
        CHECK(header(second, "Retry-After") == "3");
        CHECK(header(second, "X-Mbx-Used-Weight-1m") == "(none)");
    }
}

TEST_CASE("beast: a reply to HEAD has no body to wait for") {
    for (const bool is_async : {false, true}) {
        const WireServer server({{{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"}}});
        Client client(server);
        const Reply reply = client.send(http::verb::head, is_async);
        CHECK(reply.status == 200);
        CHECK(reply.is_whole);
        CHECK(reply.body.empty());
    }
}

TEST_CASE(
    "E16, E17, beast: closed or reset without an answer, or cut off in the head: maybe sent, "
    "once") {
    for (const bool is_async : {false, true}) {
        for (const auto& turn : std::vector<WireServer::Turn>{
                 {.then = Then::close},
                 {.then = Then::reset},
                 {.answer = "HTTP/1.1 200 OK\r\nContent-Le", .then = Then::close},
                 {.then = Then::reset, .read_most = 10}}) {
            const WireServer server({{{http_answer(200)}, turn}, {{http_answer(200)}}});
            Client client(server);
            CHECK(client.send(http::verb::get, is_async).status == 200);
            const Reply reply = client.send(http::verb::post, is_async);
            CHECK(reply.transport == Transport::maybe_sent);
            CHECK(reply.status == 0);
            CHECK_FALSE(reply.is_whole);
            CHECK_FALSE(client.exchange.keeps_alive());
            CHECK(server.requests().size() <= 2);
        }
    }
}

TEST_CASE("E17, beast: a 200 that is cut off is a reply that is not whole") {
    for (const bool is_async : {false, true}) {
        const WireServer server(
            {{{.answer = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\"",
               .then = Then::close}}});
        Client client(server);
        const Reply reply = client.send(http::verb::post, is_async);
        CHECK(reply.status == 200);
        CHECK(reply.transport == Transport::replied);
        CHECK_FALSE(reply.is_whole);
        CHECK(reply.body == "{\"id\"");
    }
}

TEST_CASE("beast: no answer in time is maybe sent; a stream that takes no byte is not sent") {
    const WireServer server({{{.answer = ""}}, {{http_answer(200)}}});
    {
        Client client(server);
        const Reply late = client.send(http::verb::post, true, std::chrono::milliseconds(50));
        CHECK(late.transport == Transport::maybe_sent);
    }
    for (const bool is_async : {false, true}) {
        boost::asio::io_context loop;
        beast::tcp_stream closed(loop);
        http::request<http::string_body> request{http::verb::post, "/", 11};
        BeastExchange exchange;
        Reply reply;
        if (is_async) {
            exchange.async_perform(closed, request, [&](Reply each) { reply = each; });
            loop.run();
        } else {
            reply = exchange.perform(closed, request);
        }
        CHECK(reply.transport == Transport::not_sent);
    }
}

TEST_CASE("beast: what was read ahead on a lost connection is not taken for the next one's reply") {
    const WireServer server(
        {{{http_answer(200, "one") + "HTTP/1.1 500 Stray\r\n"}}, {{http_answer(200, "two")}}});
    Client client(server);
    CHECK(client.send(http::verb::get, false).body == "one");
    client.stream.close();
    client.connect(server);
    client.exchange.reset();
    const Reply reply = client.send(http::verb::get, false);
    CHECK(reply.status == 200);
    CHECK(reply.body == "two");
}
