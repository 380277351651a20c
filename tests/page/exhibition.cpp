// SPDX-License-Identifier: Apache-2.0
#include "page/exhibition.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <fstream>
#include <stdexcept>

namespace ratecoord::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* venue = R"(schema = 1
name = "venue"
title = "A venue"
as_of = 2030-01-01
source = "nobody"
confidence = "A"
[limits.weight]
kind = "fixed"
quota = 6000
window = "1m"
[limits.orders]
kind = "fixed"
quota = 500
window = "1d"
per = "account"
[limits.transfers]
kind = "bucket"
quota = 20
burst = 20
window = "1d"
[limits.connections]
kind = "rolling"
quota = 300
window = "5m"
)";

Budget bot_of(const std::string& budget, const std::string& label) {
    auto bot = Budget::attach(budget, {.label = label});
    if (!bot) throw std::runtime_error(bot.error().message);
    return std::move(*bot);
}

void draw(Budget& bot, std::initializer_list<CostItem> items) {
    const auto cost = bot.cost(items);
    if (!cost) throw std::runtime_error(cost.error().message);
    const auto decision = bot.try_acquire(*cost);
    if (!decision || !*decision) throw std::runtime_error("nothing to be drawn");
}

Exhibition::Tcp::endpoint on_loopback(std::uint16_t port) {
    return {asio::ip::address_v4::loopback(), port};
}

}  // namespace

Exhibition::Exhibition(Budgets budgets) {
    // The same one for every life of the daemon: nobody else is likely to get it meanwhile.
    port_ = Tcp::acceptor(loop_, on_loopback(0)).local_endpoint().port();
    std::ofstream(scratch_.path() + "/venue.toml") << venue;
    std::ofstream file(scratch_.path() + "/coordinatord.toml");
    file << "schema = 1\ninterval = \"100ms\"\n[watch]\nclock = false\n"
         << "[listen]\naddress = \"127.0.0.1:" << port_ << "\"\n";
    if (budgets == Budgets::one_each) {
        for (const char* name : {"kraken", "bybit", "okx", "deribit", "binance"}) {
            file << "[budgets." << name << "]\nprofile = \"venue\"\nfull = true\n";
        }
    }
    file.close();
    start();
}

void Exhibition::start() {
    daemon_ = std::make_unique<Program>(
        "coordinatord",
        std::vector<std::string>{"--config", scratch_.path() + "/coordinatord.toml"});
    if (systemd_.wait_for("READY=1").empty()) throw std::runtime_error("the daemon is not ready");
}

void Exhibition::stop(int signal) {
    daemon_->send(signal);
    daemon_->wait();
}

std::string Exhibition::url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
}

void Exhibition::fill(int moments) {
    auto banned = bot_of("kraken", "market-data");
    draw(banned, {{"weight", 20}});
    banned.pause(PauseKind::ban, BootClock::now() + 72h, "418: way too many requests").value();
    auto paused = bot_of("bybit", hostile);
    draw(paused, {{"weight", 5}});
    paused.pause(PauseKind::manual, BootClock::now() + 2h, hostile).value();
    if (!bot_of("okx", "risk").halt("drawdown over the limit")) {
        throw std::runtime_error("okx cannot be halted");
    }

    auto empty = bot_of("deribit", "treasury");
    draw(empty, {{"transfers", 19}});  // of a bucket one is held back
    for (const std::uint64_t units : {1, 2}) {
        const auto cost = empty.cost({{"transfers", units}}).value();
        waiting_.emplace_back();
        empty.reserve(cost, BootClock::now() + 24h, waiting_.back()).value();
    }
    for (auto* bot : {&banned, &paused, &empty}) bots_.push_back(std::move(*bot));
    draw_for_a_while(moments);
}

void Exhibition::draw_for_a_while(int moments) {
    std::vector<Budget> busy;
    busy.push_back(bot_of("binance", hostile));
    draw(busy[0], {{"transfers", 1}});
    for (int i = 1; i <= 11; ++i) {
        busy.push_back(bot_of("binance", (i < 8 ? "grid-btc-" : "scanner-") + std::to_string(i)));
    }
    for (int moment = 0; moment < moments; ++moment) {
        for (std::size_t i = 0; i < busy.size(); ++i) {
            draw(busy[i], {{"weight", 1 + i}});
            if ((static_cast<std::size_t>(moment) + i) % 4 != 0) continue;
            draw(busy[i], {{"weight", 1}, {"orders", 1, i % 3 == 0 ? "desk" : "main"}});
        }
        if (!systemd_.pass_a_tick()) throw std::runtime_error("the daemon does not tick");
    }
    for (auto& bot : busy) bots_.push_back(std::move(bot));
}

std::uint64_t Exhibition::draw_more() {
    draw(bots_.back(), {{"orders", 1, "main"}});
    return bots_.back().snapshot().value().limits.at(1).granted_units;
}

std::vector<Exhibition::Tcp::socket> Exhibition::let_viewers_in(int count) {
    std::vector<Tcp::socket> viewers;
    for (int i = 0; i < count; ++i) {
        auto& viewer = viewers.emplace_back(loop_);
        viewer.connect(on_loopback(port_));
        asio::write(viewer,
                    asio::buffer(std::string("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")));
        std::string heard;
        asio::read_until(viewer, asio::dynamic_buffer(heard), "retry: ");
    }
    return viewers;
}

Exhibition::Stranger::Stranger() : acceptor_(loop_, on_loopback(0)) {
    acceptor_.non_blocking(true);
}

std::string Exhibition::Stranger::url() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/";
}

bool Exhibition::Stranger::was_called() {
    Tcp::socket caller(loop_);
    boost::system::error_code error;
    acceptor_.accept(caller, error);
    return !error;
}

}  // namespace ratecoord::testing
