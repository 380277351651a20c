// SPDX-License-Identifier: Apache-2.0
//
// The door from outside: raw bytes over sockets, the loop pumped by hand.
#include "coordinatord/door.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "coordinatord/admission.hpp"
#include "coordinatord/budgets_json.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace coordinatord;
using ratecoord::testing::ScratchDirectory;
namespace asio = boost::asio;
using asio::generic::stream_protocol;

namespace {

ratecoord::Snapshot snapshot_of(std::uint64_t used) {
    ratecoord::Snapshot snapshot;
    snapshot.name = "acme";
    snapshot.now = 1'000'000'000;
    snapshot.utc_offset = 5'000'000'000;
    snapshot.state = ratecoord::BudgetState::banned;
    snapshot.pause_until.at(static_cast<std::size_t>(ratecoord::PauseKind::ban)) = 3'000'000'000;
    snapshot.limits.resize(1);
    auto& limit = snapshot.limits[0];
    limit.definition.name = "orders";
    limit.definition.quota = 10;
    limit.definition.window = std::chrono::seconds(1);
    limit.cells.resize(1);
    limit.cells[0].lanes.resize(1);
    limit.cells[0].lanes[0].used = used;
    limit.cells[0].lanes[0].most = 10;
    limit.cells[0].outside = 2;
    limit.drawn_by.push_back({"<b>bot\xff", 42, 3, 7});
    return snapshot;
}

/// A client that turns the loop while it waits, so that nothing is judged by the clock.
class Visitor {
  public:
    Visitor(asio::io_context& loop, const stream_protocol::endpoint& where)
        : loop_(loop), socket_(loop) {
        socket_.connect(where);
    }
    void say(const std::string& text) {
        asio::async_write(socket_, asio::buffer(sent_ = text), [](auto, auto) {});
    }
    /// All that was heard once it holds `mark`, or once the other end has closed.
    std::string hear(const std::string& mark) {
        while (!is_closed_ && heard_.find(mark) == std::string::npos) {
            bool is_done = false;
            socket_.async_read_some(asio::buffer(some_), [&](auto error, std::size_t size) {
                heard_.append(some_.data(), size);
                is_closed_ = static_cast<bool>(error);
                is_done = true;
            });
            while (!is_done) loop_.run_one();
        }
        return heard_;
    }
    std::string hear_all() { return hear("what nobody says"); }
    std::string take(const std::string& mark) { return hear(mark), std::exchange(heard_, {}); }
    bool is_closed() const { return is_closed_; }
    void leave() { socket_.close(); }

  private:
    asio::io_context& loop_;
    stream_protocol::socket socket_;
    std::string sent_;
    std::string heard_;
    std::array<char, 4096> some_{};
    bool is_closed_ = false;
};

struct House {
    asio::io_context loop;
    Board board;
    ListenConfig listen{"127.0.0.1", 0, {}, {}};
    DoorOptions options;
    std::optional<Door> door;

    Door& open() {
        auto site = std::make_shared<Site>(board, page_routes(), render_update);
        door.emplace(Door::open(loop, listen, site, options).value());
        return *door;
    }
    Visitor visit() {
        if (!door) open();
        if (!listen.socket.empty()) {
            return {loop, asio::local::stream_protocol::endpoint(listen.socket)};
        }
        return {loop, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), door->port())};
    }
    std::string ask(const std::string& request) {
        Visitor visitor = visit();
        visitor.say(request);
        return visitor.hear_all();
    }
    std::string get(const std::string& target, const std::string& more = {}) {
        return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                   more + "\r\n");
    }
    void turn_until(const std::function<bool()>& is_so) {
        while (!is_so()) loop.run_one();
    }
};

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

TEST_CASE("the board as JSON says state, stops, use and who drew it") {
    Board board;
    board.put(snapshot_of(3));
    board.put(snapshot_of(4));
    board.put_journal("acme", {{1, 500'000'000, "ban", "bot", "418"}}, 2);
    board.put_problem("lost", "it is gone");
    const auto json = nlohmann::json::parse(render_budgets(board));
    CHECK(json["revision"] == 4);
    const auto& acme = json["budgets"][0];
    CHECK(acme["state"] == "banned");
    CHECK(acme["pauses"].dump() == R"([{"kind":"ban","until_ms":8000}])");
    CHECK(acme["limits"][0]["cells"][0]["used"] == 4);
    CHECK(acme["limits"][0]["cells"][0]["most"] == 10);
    CHECK(acme["limits"][0]["cells"][0]["outside"] == 2);
    CHECK(acme["limits"][0]["drawn_by"][0]["label"] == "<b>bot\xEF\xBF\xBD");
    CHECK(acme["history"][0]["samples"].dump() == "[[6000,3,2,0],[6000,4,2,0]]");
    CHECK(acme["journal"].dump() ==
          R"([{"at_ms":5500,"kind":"ban","label":"bot","sequence":1,"text":"418"}])");
    CHECK(acme["journal_lost"] == 2);
    CHECK(json["budgets"][1].dump() == R"({"name":"lost","problem":"it is gone","seen":false})");
}

TEST_CASE("the board as JSON is bounded, and says what it left out") {
    auto snapshot = snapshot_of(1);
    auto& limit = snapshot.limits[0];
    limit.cells.resize(1000, limit.cells[0]);
    for (std::size_t i = 0; i < limit.cells.size(); ++i) limit.cells[i].key = std::to_string(i);
    limit.drawn_by.resize(500);
    snapshot.clients.resize(1000);
    Board board;
    for (std::size_t i = 0; i < history_samples; ++i) board.put(snapshot);
    const auto json = nlohmann::json::parse(render_budgets(board));
    const auto& acme = json["budgets"][0];
    CHECK(acme["limits"][0]["cells"].size() == most_cells);
    CHECK(acme["limits"][0]["cells_left_out"] == 1000 - most_cells);
    CHECK(acme["limits"][0]["drawn_by"].size() == most_drawn);
    CHECK(acme["clients"].size() == most_clients);
    CHECK(acme["clients_left_out"] == 1000 - most_clients);
    CHECK(acme["history"].size() == most_histories);
    CHECK(acme["history"][0]["samples"].size() == most_points);
}
