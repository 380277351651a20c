// SPDX-License-Identifier: Apache-2.0
//
// The whole venue over real sockets: one server in this process, on a free port.
#include "mock-venue/server.hpp"

#include <unistd.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "mock_venue/visitor.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;
using nlohmann::json;

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Response = http::response<http::string_body>;

// A client with one keep-alive connection.
class Client {
  public:
    explicit Client(std::uint16_t port) : socket_(io_) {
        socket_.connect({asio::ip::address_v4::loopback(), port});
    }

    Response send(http::verb verb, const std::string& target, const std::string& form = "") {
        http::request<http::string_body> request{verb, target, 11};
        request.set(http::field::host, "127.0.0.1");
        request.set("X-Worker", "w7");
        if (!form.empty()) {
            request.set(http::field::content_type, "application/x-www-form-urlencoded");
            request.body() = form;
        }
        request.prepare_payload();
        http::write(socket_, request);
        Response response;
        http::read(socket_, buffer_, response);
        return response;
    }

    Response get(const std::string& target) { return send(http::verb::get, target); }

  private:
    asio::io_context io_;
    asio::ip::tcp::socket socket_;
    boost::beast::flat_buffer buffer_;
};

// A server that runs in its own thread until told to quit.
class OpenVenue {
  public:
    explicit OpenVenue(const std::vector<std::string>& arguments) : log_path_(scratch_name()) {
        Options options;
        options.rules = rules_of(arguments);
        options.log_file = log_path_;
        server_.emplace(options);
        finished_ = std::async(std::launch::async, [this] { return server_->run(); });
    }
    ~OpenVenue() {
        if (finished_.valid()) quit();
        std::filesystem::remove(log_path_);
    }
    OpenVenue(const OpenVenue&) = delete;
    OpenVenue& operator=(const OpenVenue&) = delete;

    std::uint16_t port() const { return server_->port(); }

    bool quit() {
        Client(port()).send(http::verb::post, "/_mock/quit");
        return finished_.get();
    }

    std::vector<json> log() const {
        std::ifstream file(log_path_);
        std::vector<json> lines;
        for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
        return lines;
    }

  private:
    static std::string scratch_name() {
        std::string text = (std::filesystem::temp_directory_path() / "venue-XXXXXX").string();
        const int fd = ::mkstemp(text.data());
        REQUIRE(fd >= 0);
        ::close(fd);
        return text;
    }

    std::string log_path_;
    std::optional<Server> server_;
    std::future<bool> finished_;
};

}  // namespace

TEST_CASE("the venue serves, refuses, reports and logs over HTTP") {
    // A window of a year: no test run meets its boundary but on one night.
    OpenVenue venue({"--limit", "weight=10/365d"});
    Client client(venue.port());
    const Response first = client.get("/api/v3/depth?weight=8");
    CHECK(first.result_int() == 200);
    CHECK(first["X-MBX-USED-WEIGHT-365D"] == "8");
    CHECK_FALSE(first[http::field::date].empty());
    const Response refused = client.get("/api/v3/depth?weight=8");
    CHECK(refused.result_int() == 429);
    CHECK(std::stoll(std::string(refused[http::field::retry_after])) > 0);

    const auto stats = json::parse(client.get("/_mock/stats").body());
    CHECK(stats["schema"] == 1);
    CHECK(stats["requests"] == 2);
    CHECK(stats["accepted"] == 1);
    CHECK(stats["rejected"]["429"] == 1);
    CHECK(stats["limits"][0]["max_used"] == 8);

    CHECK(client.send(http::verb::post, "/_mock/limit?name=weight&quota=16").result_int() == 200);
    CHECK(client.get("/x?weight=8").result_int() == 200);
    CHECK(client.send(http::verb::post, "/_mock/limit?name=weight").result_int() == 400);
    CHECK(client.get("/_mock/nothing").result_int() == 404);

    CHECK(venue.quit());
    const auto lines = venue.log();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0]["n"] == 1);
    CHECK(lines[0]["path"] == "/api/v3/depth");
    CHECK(lines[0]["charges"]["weight"] == 8);
    CHECK(lines[0]["label"] == "w7");
    CHECK(lines[0]["accepted"] == true);
    CHECK(lines[1]["status"] == 429);
    CHECK(lines[1]["accepted"] == false);
    CHECK(lines[1]["refused_by"] == "weight");
    CHECK(lines[2]["used"]["weight"] == 16);
    CHECK(lines[0]["t_ns"] <= lines[1]["t_ns"]);
    CHECK(lines[0]["boot_ns"] <= lines[1]["boot_ns"]);
}

TEST_CASE("orders are taken from a form body, and a lost answer closes the connection") {
    OpenVenue venue({"--lose-answer", "0"});
    Client client(venue.port());
    const Response placed = client.send(http::verb::post, "/api/v3/order",
                                        "symbol=A&side=BUY&type=MARKET&newClientOrderId=bot%2D1");
    CHECK(json::parse(placed.body())["clientOrderId"] == "bot-1");
    CHECK(json::parse(placed.body())["status"] == "FILLED");

    OpenVenue losing({"--lose-answer", "1"});
    Client unlucky(losing.port());
    CHECK_THROWS(unlucky.send(http::verb::post, "/api/v3/order", "symbol=A&side=BUY&type=MARKET"));
    const auto stats = json::parse(Client(losing.port()).get("/_mock/stats").body());
    CHECK(stats["orders"]["placed"] == 1);
    CHECK(stats["by_status"]["0"] == 1);
}

TEST_CASE("an admin's ban stops every connection at once") {
    OpenVenue venue({"--limit", "weight=100/365d"});
    Client one(venue.port());
    Client other(venue.port());
    CHECK(one.get("/x").result_int() == 200);
    CHECK(one.send(http::verb::post, "/_mock/ban?seconds=3600").result_int() == 200);
    const Response banned = other.get("/x");
    CHECK(banned.result_int() == 418);
    CHECK(banned[http::field::retry_after] == "3600");
    const auto ban = json::parse(one.get("/_mock/stats").body())["bans"][0];
    CHECK(ban["cause"] == "admin");
    CHECK(ban["arrivals"] == 1);
}

TEST_CASE("every request of many connections is counted and logged once") {
    OpenVenue venue({"--limit", "weight=300/365d", "--latency", "1ms"});
    constexpr int connections = 20;
    constexpr int calls = 25;
    std::vector<std::future<int>> clients;
    for (int i = 0; i < connections; ++i) {
        clients.push_back(std::async(std::launch::async, [&] {
            Client client(venue.port());
            int accepted = 0;
            for (int call = 0; call < calls; ++call) {
                if (client.get("/x").result_int() == 200) ++accepted;
            }
            return accepted;
        }));
    }
    int accepted = 0;
    for (auto& client : clients) accepted += client.get();
    CHECK(accepted == 300);
    CHECK(venue.quit());
    std::set<std::uint64_t> numbers;
    for (const json& line : venue.log()) numbers.insert(line["n"].get<std::uint64_t>());
    CHECK(numbers.size() == connections * calls);
    CHECK(*numbers.rbegin() == connections * calls);
}

TEST_CASE("a port that is taken is a clear error") {
    const OpenVenue venue({});
    Options options;
    options.port = venue.port();
    try {
        const Server second(options);
        FAIL("two servers on one port");
    } catch (const StartError& error) {
        CHECK_THAT(error.what(), Catch::Matchers::StartsWith("cannot listen on 127.0.0.1:"));
        CHECK_FALSE(error.hint().empty());
    }
    options.port = 0;
    options.log_file = "/proc/no/such/directory";
    CHECK_THROWS_AS(Server(options), StartError);
}
