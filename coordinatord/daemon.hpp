// SPDX-License-Identifier: Apache-2.0
//
// The loop: ticks, signals, viewers.
//
// PROMISE  SIGHUP reads the configuration again; one that is wrong changes nothing and is told.
//          SIGTERM and SIGINT end it. Budgets that leave the file are let go, never destroyed.
//          Whatever fails for one budget is told and tried again; the others go on.
// SHARING  One thread calls run().
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "coordinatord/board.hpp"
#include "coordinatord/config.hpp"
#include "coordinatord/door.hpp"
#include "coordinatord/hooks.hpp"
#include "coordinatord/instance.hpp"
#include "coordinatord/keeper.hpp"
#include "coordinatord/metrics.hpp"

namespace coordinatord {

class Daemon {
  public:
    Daemon(Config config, Instance instance);
    ~Daemon();

    /// The page, where the configuration asks for one; before run().
    ratecoord::Result<void> open_door();
    /// Until a signal ends it.
    void run();

  private:
    void tick();
    void reload();
    void apply(Config config);
    void tell(const Event& event);
    void wait_for_signal();
    void wait_for_tick();
    std::string status_line() const;

    Config config_;
    Instance instance_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_;
    boost::asio::steady_timer timer_;
    Board board_;
    Metrics metrics_;
    Hooks hooks_;
    ClockWatch clock_;
    std::vector<std::unique_ptr<Keeper>> keepers_;
    std::optional<Door> door_;
};

}  // namespace coordinatord
