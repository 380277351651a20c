// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/door.hpp"

#include <sys/stat.h>

#include <fstream>
#include <vector>

#include "coordinatord/admission.hpp"
#include "daemon/acme_snapshot.hpp"
#include "daemon/house.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace coordinatord;
using namespace ratecoord::testing;

namespace {

int status_of(const std::string& reply) {
    return reply.size() < 12 ? 0 : std::stoi(reply.substr(9, 3));
}

std::string body_of(const std::string& reply) {
    return reply.substr(reply.find("\r\n\r\n") + 4);
}

}  // namespace

TEST_CASE("the page and what it needs is served with its protections") {
    House house;
    for (const std::string path : {"/", "/page.js", "/page.css", "/healthz", "/api/budgets"}) {
        INFO(path);
        const auto reply = house.get(path);
        CHECK(status_of(reply) == 200);
        CHECK(body_of(reply).size() > 10);
        CHECK(reply.find("Content-Security-Policy: default-src 'none'; script-src 'self'; ") !=
              std::string::npos);
        CHECK(reply.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
        CHECK(reply.find("Cache-Control: no-store\r\n") != std::string::npos);
        CHECK(reply.find("Referrer-Policy: no-referrer\r\n") != std::string::npos);
    }
    const auto head =
        house.ask("HEAD /page.js HTTP/1.1\r\nHost: 127.0.0.1:9469\r\nConnection: close\r\n\r\n");
    CHECK(status_of(head) == 200);
    CHECK(body_of(head).empty());
}

TEST_CASE("only names of loopback and the configured host are answered") {
    House house;
    house.listen.host = "127.0.0.1";
    const auto as = [&](const std::string& host) {
        return status_of(
            house.ask("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"));
    };
    for (const std::string host : {"localhost", "LOCALHOST:1", "127.0.0.1:9469", "[::1]:9469"}) {
        INFO(host);
        CHECK(as(host) == 200);
    }
    for (const std::string host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:x", "",
          "10.0.0.1", "[::1", "localhost@evil.example"}) {
        INFO(host);
        CHECK(as(host) == 421);
    }
    CHECK(status_of(house.ask("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")) == 400);
    CHECK(status_of(house.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"
                              "Connection: close\r\n\r\n")) == 400);
}

TEST_CASE("a wildcard address may be named by any address, never by a foreign name") {
    const Admission admission{true, "0.0.0.0", {}};
    CHECK(admits_host(admission, "10.1.2.3:9469"));
    CHECK_FALSE(admits_host(admission, "evil.example:9469"));
}

TEST_CASE("no path but those of the table is there") {
    House house;
    for (const std::string target :
         {"/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/page.js/..", "/page.html",
          "/api/budgets/", "*", "http://localhost/", "/metrics"}) {
        INFO(target);
        CHECK(status_of(house.get(target)) == 404);
    }
}

TEST_CASE("nothing can be written, and no body is taken") {
    House house;
    for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"}) {
        INFO(method);
        const auto reply = house.ask(method + " /api/budgets HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CHECK(status_of(reply) == 405);
        CHECK(reply.find("Allow: GET, HEAD\r\n") != std::string::npos);
    }
    CHECK(status_of(house.get("/", "Content-Length: 1\r\n")) == 413);
    CHECK(status_of(house.get("/", "Content-Length: 104857600\r\n")) == 413);
    CHECK(status_of(house.get("/", "Transfer-Encoding: chunked\r\n")) == 413);
    CHECK(status_of(house.ask("what is this?\r\n\r\n")) == 400);
}

TEST_CASE("a head of more than 8 KiB is refused") {
    House house;
    CHECK(status_of(house.get("/", "X-Long: " + std::string(7000, 'x') + "\r\n")) == 200);
    CHECK(status_of(house.get("/", "X-Long: " + std::string(9000, 'x') + "\r\n")) == 431);
    CHECK(status_of(house.get("/", "X-Long: " + std::string(100'000, 'x') + "\r\n")) == 431);
}

TEST_CASE("with a token nothing about the budgets is told to who lacks it") {
    House house;
    house.listen.token = "0123456789abcdef+&";
    house.board.put(snapshot_of(3));
    for (const std::string path : {"/", "/healthz", "/api/budgets", "/events", "/nowhere"}) {
        INFO(path);
        CHECK(status_of(house.get(path)) == 401);
        CHECK(status_of(house.get(path + "?token=0123456789abcdef+")) == 401);
        CHECK(status_of(house.get(path, "Authorization: Bearer 0123456789abcdef+&x\r\n")) == 401);
        CHECK(status_of(house.get(path, "Authorization: Basic 0123456789abcdef+&\r\n")) == 401);
    }
    CHECK(status_of(house.get("/api/budgets", "Authorization: Bearer 0123456789abcdef+&\r\n")) ==
          200);
    CHECK(status_of(house.get("/api/budgets?a=b&token=0123456789abcdef%2B%26")) == 200);
    CHECK(status_of(house.get("/page.css")) == 200);
}

TEST_CASE("a connection is used again, and pipelined requests are answered in turn") {
    House house;
    Visitor visitor = house.visit();
    const std::string ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    visitor.say(ask);
    CHECK(status_of(visitor.take("had\n")) == 200);
    visitor.say(ask + "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(status_of(visitor.take("had\n")) == 200);
    CHECK(visitor.hear_all().find("404 Not Found") != std::string::npos);
}

TEST_CASE("half a request, a silent caller and an idle one are dropped") {
    House house;
    house.options.request_time = house.options.idle_time = std::chrono::milliseconds(50);
    for (const std::string text : {"", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "}) {
        INFO(text);
        CHECK(house.ask(text).empty());
    }
    Visitor idle = house.visit();
    idle.say("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(status_of(idle.hear_all()) == 200);
    CHECK(idle.is_closed());
    house.turn_until([&] { return house.door->connections() == 0; });
}

TEST_CASE("connections above the bound are closed at once, and the others go on") {
    House house;
    house.options.connections = 3;
    std::vector<Visitor> inside;
    inside.reserve(3);
    for (std::size_t i = 0; i < 3; ++i) {
        inside.push_back(house.visit());
        house.turn_until([&] { return house.door->connections() == i + 1; });
    }
    for (int i = 0; i < 50; ++i) CHECK(house.ask("").empty());
    CHECK(house.door->connections() == 3);
    inside[1].say("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(status_of(inside[1].hear("had\n")) == 200);
    inside[0].leave();
    house.turn_until([&] { return house.door->connections() == 2; });
    CHECK(status_of(house.get("/healthz")) == 200);
}

TEST_CASE("a viewer gets the board at once and again with every change") {
    House house;
    house.board.put(snapshot_of(3));
    Visitor viewer = house.visit();
    viewer.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto first = viewer.take("}\n\n");
    CHECK(first.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    CHECK(first.find("id: 1\ndata: {\"revision\":1,") != std::string::npos);
    house.door->tell_viewers();  // nothing new: nothing is said
    house.board.put(snapshot_of(7));
    house.door->tell_viewers();
    const auto second = viewer.take("}\n\n");
    CHECK(second.starts_with("id: 2\ndata: {\"revision\":2,"));
    CHECK(second.find("\"samples\":[[6000,7,2,0]]") != std::string::npos);
    viewer.leave();
    house.turn_until([&] { return house.door->viewers() == 0; });
}

TEST_CASE("viewers are bounded, and one that does not read is dropped") {
    House house;
    house.options.viewers = 1;
    house.options.send_time = std::chrono::milliseconds(50);
    house.board.put(snapshot_of(1));
    Visitor viewer = house.visit();
    viewer.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    viewer.hear("}\n\n");
    CHECK(status_of(house.get("/events")) == 503);
    auto large = snapshot_of(1);
    large.limits[0].definition.per.assign(16 * 1024 * 1024, 'x');  // more than a socket holds
    house.board.put(large);
    house.door->tell_viewers();
    house.turn_until([&] { return house.door->viewers() == 0; });
    CHECK(house.door->connections() == 0);
}

TEST_CASE("a unix socket is for owner and group, replaces a stale one and goes with the door") {
    ScratchDirectory scratch;
    House house;
    house.listen = {{}, 0, scratch.path() + "/door", {}};
    {
        asio::io_context other;
        asio::local::stream_protocol::acceptor killed(
            other, asio::local::stream_protocol::endpoint(house.listen.socket));
        const auto taken = Door::open(house.loop, house.listen, nullptr);
        REQUIRE_FALSE(taken);
        CHECK(taken.error().code == ratecoord::ErrorCode::busy);
    }
    house.open();
    struct stat status {};
    REQUIRE(::stat(house.listen.socket.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0660);
    CHECK(status_of(house.ask("GET /healthz HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n"
                              "\r\n")) == 200);
    house.door.reset();
    CHECK(::stat(house.listen.socket.c_str(), &status) != 0);
    std::ofstream(house.listen.socket) << "precious";
    const auto refused = Door::open(house.loop, house.listen, nullptr);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ratecoord::ErrorCode::already_exists);
}

TEST_CASE("an address in use is told with what to do") {
    House house;
    house.open();
    ListenConfig same = house.listen;
    same.port = house.door->port();
    const auto taken = Door::open(house.loop, same, nullptr);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == ratecoord::ErrorCode::busy);
    CHECK(taken.error().message ==
          "cannot listen on 127.0.0.1:" + std::to_string(same.port) + ": Address already in use");
    CHECK_FALSE(taken.error().hint.empty());
}
