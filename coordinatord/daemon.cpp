// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/daemon.hpp"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "coordinatord/budgets_json.hpp"
#include "coordinatord/log.hpp"
#include "coordinatord/systemd.hpp"

namespace coordinatord {

Daemon::Daemon(Config config, Instance instance)
    : config_(std::move(config)),
      instance_(std::move(instance)),
      signals_(loop_, SIGTERM, SIGINT, SIGHUP),
      timer_(loop_),
      hooks_(config_.hooks) {
    for (const BudgetConfig& budget : config_.budgets) {
        keepers_.push_back(std::make_unique<Keeper>(budget));
    }
}

Daemon::~Daemon() = default;

ratecoord::Result<void> Daemon::open_door() {
    if (config_.listen.is_off()) return {};
    DoorOptions options;
    options.group = config_.group;
    Routes routes = page_routes();
    routes["/metrics"] = {
        [this](const Board& board) {
            return Page{"text/plain; version=0.0.4; charset=utf-8", metrics_.render(board)};
        },
        true};
    auto site = std::make_shared<Site>(board_, std::move(routes), render_update);
    auto opened = Door::open(loop_, config_.listen, std::move(site), std::move(options));
    if (!opened) return tl::unexpected(std::move(opened.error()));
    door_.emplace(std::move(*opened));
    return {};
}

void Daemon::tell(const Event& event) {
    log_line(Severity::notice, (event.budget.empty() ? std::string() : event.budget + ": ") +
                                   event.kind + ": " + event.text);
    hooks_.post(event);
}

void Daemon::tick() {
    const auto tell = [this](const Event& event) { this->tell(event); };
    for (auto& keeper : keepers_) keeper->tick(board_, config_.watch, tell);
    metrics_.note(board_);
    if (config_.watch.clock) clock_.look(clock_is_synchronised(), wall_clock_ns(), tell);
    if (door_) door_->tell_viewers();
}

void Daemon::apply(Config config) {
    if (config.directory != config_.directory || config.group != config_.group) {
        log_line(Severity::warning, "directory and group change with a restart only");
    }
    if (config.listen != config_.listen) {
        log_line(Severity::warning, "[listen] and its token change with a restart only");
    }
    std::erase_if(keepers_, [&](const auto& keeper) {
        const bool stays =
            std::any_of(config.budgets.begin(), config.budgets.end(),
                        [&](const BudgetConfig& budget) { return budget.name == keeper->name(); });
        if (!stays) board_.remove(keeper->name());
        return !stays;
    });
    for (const BudgetConfig& budget : config.budgets) {
        const auto known = std::find_if(keepers_.begin(), keepers_.end(), [&](const auto& keeper) {
            return keeper->name() == budget.name;
        });
        if (known == keepers_.end()) {
            keepers_.push_back(std::make_unique<Keeper>(budget));
        } else {
            (*known)->change(budget);
        }
    }
    hooks_.replace(config.hooks);
    config_ = std::move(config);
}

void Daemon::reload() {
    systemd::reloading();
    ratecoord::venue::Findings findings;
    auto fresh = read_config(config_.file, findings);
    if (!fresh) {
        for (const auto& finding : findings.list()) log_line(Severity::error, finding.text());
        instance_.note_reload(findings.list().at(0).text());
    } else {
        apply(std::move(*fresh));
        tick();
        instance_.note_reload({});
        log_line(Severity::info, "read " + config_.file + " again");
    }
    systemd::ready(status_line());
}

std::string Daemon::status_line() const {
    const auto lost = std::count_if(board_.views().begin(), board_.views().end(),
                                    [](const auto& view) { return !view.second.problem.empty(); });
    return "looks after " + std::to_string(keepers_.size()) +
           (keepers_.size() == 1 ? " budget" : " budgets") +
           (lost == 0 ? std::string() : ", " + std::to_string(lost) + " cannot be had");
}

void Daemon::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) return;
        if (signal == SIGHUP) {
            reload();
            wait_for_signal();
            return;
        }
        systemd::stopping();
        loop_.stop();
    });
}

void Daemon::wait_for_tick() {
    const auto watchdog = systemd::watchdog_interval();
    const auto interval = watchdog.count() == 0 || watchdog > config_.interval
                              ? config_.interval
                              : std::chrono::nanoseconds(watchdog);
    timer_.expires_after(interval);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        tick();
        systemd::keep_alive();
        wait_for_tick();
    });
}

void Daemon::run() {
    wait_for_signal();
    tick();
    systemd::ready(status_line());
    log_line(Severity::info, status_line());
    wait_for_tick();
    loop_.run();
}

}  // namespace coordinatord
