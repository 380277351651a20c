// SPDX-License-Identifier: Apache-2.0
//
// A daemon with one budget in each state that the page has to show, on a port of its own.
//
// PROMISE  What is shown stays as it is for an hour, whenever it begins.
// SHARING  One at a time: it changes the environment.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <ratecoord/budget.hpp>
#include <string>
#include <vector>

#include "daemon/notify_socket.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace ratecoord::testing {

class Exhibition {
  public:
    using Tcp = boost::asio::ip::tcp;
    enum class Budgets { one_each, none };

    /// A bot's label and an operator's reason that want to be markup.
    static constexpr const char* hostile = "<img src=x onerror=alert(1)>";

    explicit Exhibition(Budgets budgets = Budgets::one_each);

    /// kraken banned, bybit paused, okx halted, deribit empty, binance busy over so many moments.
    void fill(int moments = 2);
    void start();
    void stop(int signal = SIGKILL);
    std::string url(const std::string& path) const;

    /// One order more of binance; how many were granted by then.
    std::uint64_t draw_more();
    /// They stay as long as what is returned.
    std::vector<Tcp::socket> let_viewers_in(int count);

    /// Somebody else on this host, who should hear nothing.
    class Stranger {
      public:
        Stranger();
        std::string url() const;
        bool was_called();

      private:
        boost::asio::io_context loop_;
        Tcp::acceptor acceptor_;
    };

  private:
    void draw_for_a_while(int moments);

    ScratchDirectory scratch_;
    NotifySocket systemd_{scratch_.path()};
    boost::asio::io_context loop_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Program> daemon_;
    std::vector<Budget> bots_;
    std::vector<Reservation> waiting_;
};

}  // namespace ratecoord::testing
