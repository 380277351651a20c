// SPDX-License-Identifier: Apache-2.0
#include "ratectl/top/live.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "ratectl/signal_watch.hpp"
#include "ratectl/top/draw.hpp"
#include "ratectl/top/screen.hpp"

namespace ratectl {

namespace {

std::int64_t now_ns() {
    return nanoseconds_of(ratecoord::BootClock::now());
}

// poll() in milliseconds, rounded up so that it does not wake before the instant.
int milliseconds_until(std::int64_t at) {
    const auto left = std::max<std::int64_t>(at - now_ns(), 0);
    return static_cast<int>(std::min<std::int64_t>((left + 999'999) / 1'000'000, 60'000));
}

class Live {
  public:
    Live(const LiveOptions& options, Screen& screen)
        : options_(options), screen_(screen), view_(options.view) {}

    // One full-screen session; a Failure if the budgets cannot be looked at any more.
    Done run(SignalWatch& signals) {
        auto due = now_ns();
        std::uint64_t taken = 0;
        while (!ends_ && !view_.quits()) {
            if (now_ns() >= due) {
                auto sample = take_sample(options_.names);
                if (!sample) return tl::unexpected(sample.error());
                view_.take(*sample);
                if (++taken == options_.count) ends_ = true;
                due = now_ns() + view_.state().options.interval_ns;
            }
            screen_.paint(draw(view_.state(), screen_.size()));
            if (ends_) break;
            // A shorter interval holds at once.
            due = std::min(due, now_ns() + view_.state().options.interval_ns);
            wait(signals, due);
        }
        return ExitCode::done;
    }

  private:
    static constexpr int idle_reads_most = 1000;

    void wait(SignalWatch& signals, std::int64_t due) {
        std::array<pollfd, 2> waits{{{STDIN_FILENO, POLLIN, 0}, {signals.fd(), POLLIN, 0}}};
        if (::poll(waits.data(), waits.size(), milliseconds_until(due)) <= 0) return;
        if ((waits[1].revents & POLLIN) != 0) {
            while (const auto signal = signals.next()) obey(signals, *signal);
        }
        if ((waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
            ends_ = true;  // the terminal is gone
            return;
        }
        if ((waits[0].revents & POLLIN) == 0) return;
        bool any = false;
        for (auto key = screen_.read_key(); key; key = screen_.read_key()) {
            any = true;
            view_.press(*key);
        }
        // Readable, and no key: either one that means nothing, or the end of the input.
        idle_reads_ = any ? 0 : idle_reads_ + 1;
        if (idle_reads_ > idle_reads_most) ends_ = true;
    }

    void obey(SignalWatch& signals, int signal) {
        switch (signal) {
            case SIGWINCH:
                screen_.resize();
                return;
            case SIGTSTP:
                screen_.suspend();
                signals.let_act(SIGTSTP);
                screen_.resume();
                return;
            case SIGCONT:
                screen_.resume();  // after a stop that could not be seen coming
                return;
            default:
                ends_ = true;
                return;
        }
    }

    const LiveOptions& options_;
    Screen& screen_;
    TopView view_;
    bool ends_ = false;
    int idle_reads_ = 0;
};

}  // namespace

tl::expected<std::optional<ExitCode>, Failure> run_full_screen(const LiveOptions& options,
                                                               bool colour) {
    SignalWatch signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT});
    const auto screen = Screen::open(colour);
    if (screen == nullptr) return std::optional<ExitCode>();
    const auto done = Live(options, *screen).run(signals);
    if (!done) return tl::unexpected(done.error());
    return std::optional(*done);
}

Done run_in_lines(const LiveOptions& options, Console& console) {
    SignalWatch signals({SIGINT, SIGTERM});
    TopHistory history;
    // One sample more than frames: rates need two.
    bool complete = true;
    for (std::uint64_t frame = 0; options.count == 0 || frame <= options.count; ++frame) {
        auto sample = take_sample(options.names);
        if (!sample) return tl::unexpected(sample.error());
        history.add(*sample);
        complete = true;
        for (const auto& budget : sample->budgets) complete = complete && budget.problem.empty();
        const bool last = frame == options.count && options.count != 0;
        if (frame > 0) {
            for (const auto& budget : sample->budgets) {
                if (budget.problem.empty()) continue;
                console.narrate("ratectl: cannot read '" + budget.name + "': " + budget.problem);
            }
            auto report = make_top_report(*sample, history);
            sort_clients(report, options.view.sort, false);
            keep_matching(report, options.view.filter);
            if (console.json) {
                console.print_document(render_json(report));
            } else {
                console.print((frame > 1 ? "\n" : "") +
                              render_text(report, console, options.view.unicode));
            }
            if (!console.flush() || last) break;
        }
        pollfd told{signals.fd(), POLLIN, 0};
        if (::poll(&told, 1, milliseconds_until(sample->at + options.view.interval_ns)) > 0) break;
    }
    return complete ? ExitCode::done : ExitCode::failed;
}

}  // namespace ratectl
