// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/hooks.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "coordinatord/hook_request.hpp"
#include "coordinatord/log.hpp"

namespace coordinatord {
namespace {

std::string rfc3339(std::int64_t utc_ns) {
    const std::time_t seconds = utc_ns / 1'000'000'000;
    std::tm fields{};
    ::gmtime_r(&seconds, &fields);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
    return std::string(text.data(), length);
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

bool wants(const std::vector<std::string>& list, const std::string& what) {
    return list.empty() || std::find(list.begin(), list.end(), what) != list.end();
}

/// Without the control characters that would speak to whoever reads the log in a terminal.
std::string first_line_of(const std::string& output) {
    std::string line = output.substr(0, output.find('\n'));
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return line;
}

std::vector<std::string> environment_of(const Event& event) {
    return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
            "RATECOORD_BUDGET=" + event.budget, "RATECOORD_EVENT=" + event.kind};
}

}  // namespace

std::optional<std::uint64_t> HookPace::pass(const HookConfig& hook, Instant now) {
    if (!window_began_ || now - *window_began_ >= hook.window) {
        window_began_ = now;
        passed_ = 0;
    }
    if (passed_ >= hook.most) {
        ++held_back_;
        return std::nullopt;
    }
    ++passed_;
    return std::exchange(held_back_, 0);
}

std::string payload_of(const HookConfig& hook, const Event& event, std::uint64_t suppressed) {
    const nlohmann::ordered_json payload = {{"schema", 1},
                                            {"event", event.kind},
                                            {"budget", event.budget},
                                            {"client", event.label},
                                            {"text", event.text},
                                            {"at", rfc3339(event.at_utc_ns)},
                                            {"at_ns", event.at_utc_ns},
                                            {"host", host_name()},
                                            {"hook", hook.name},
                                            {"suppressed", suppressed}};
    // Labels are the clients' own bytes: what is no UTF-8 is shown as such.
    return payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

Hooks::Hooks(std::vector<HookConfig> hooks)
    : hooks_(std::move(hooks)), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    // Signals are the loop's; a program that does not read its stdin must not end the daemon.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        worker_ = std::thread([this] { work(); });
    } catch (...) {
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        ::close(stop_);
        throw;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Hooks::~Hooks() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    // A counter of 1 always has room.
    static_cast<void>(::eventfd_write(stop_, 1));
    changed_.notify_all();
    worker_.join();
    ::close(stop_);
}

void Hooks::post(const Event& event) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        if (queue_.size() < queue_max) {
            queue_.push_back(event);
            changed_.notify_all();
            return;
        }
    } catch (const std::bad_alloc&) {
        // Counted like a full queue: there is no room either.
    }
    ++counts_.overflowed;
}

void Hooks::replace(std::vector<HookConfig> hooks) {
    const std::lock_guard lock(mutex_);
    hooks_ = std::move(hooks);
}

HookCounts Hooks::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

bool Hooks::settle(std::chrono::nanoseconds patience) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return queue_.empty() && !is_busy_; });
}

void Hooks::work() {
    std::uint64_t told_overflow = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stops_ || !queue_.empty(); });
        if (stops_) return;
        const Event event = std::move(queue_.front());
        queue_.pop_front();
        is_busy_ = true;
        const std::vector<HookConfig> hooks = hooks_;
        const std::uint64_t lost =
            counts_.overflowed - std::exchange(told_overflow, counts_.overflowed);
        lock.unlock();
        if (lost > 0) {
            log_line(Severity::warning,
                     "hooks are too slow: " + std::to_string(lost) + " events were not told");
        }
        deliver(event, hooks);
        lock.lock();
        is_busy_ = false;
        changed_.notify_all();
    }
}

void Hooks::deliver(const Event& event, const std::vector<HookConfig>& hooks) {
    std::erase_if(paces_, [&](const auto& pace) {
        return std::none_of(hooks.begin(), hooks.end(),
                            [&](const HookConfig& hook) { return hook.name == pace.first; });
    });
    for (const HookConfig& hook : hooks) {
        if (stops_) return;
        if (!wants(hook.on, event.kind)) continue;
        // What concerns no budget, the host's clock, concerns all.
        if (!event.budget.empty() && !wants(hook.budgets, event.budget)) continue;
        try {
            deliver(event, hook);
        } catch (const std::exception& error) {
            log_line(Severity::error, "hook " + hook.name + ": " + error.what());
            count({HookEnd::failed, {}, {}});
        }
    }
}

void Hooks::deliver(const Event& event, const HookConfig& hook) {
    const auto suppressed = paces_[hook.name].pass(hook, std::chrono::steady_clock::now());
    if (!suppressed) {
        const std::lock_guard lock(mutex_);
        ++counts_.suppressed;
        return;
    }
    const std::string payload = payload_of(hook, event, *suppressed);
    const HookOutcome outcome =
        hook.url.empty()
            ? run_command({hook.command, environment_of(event), payload, hook.timeout, stop_})
            : post_json(hook.url, payload, hook.timeout, stops_);
    count(outcome);
    const std::string said = first_line_of(outcome.output);
    if (outcome.end != HookEnd::done) {
        log_line(Severity::warning, "hook " + hook.name + " on " + event.kind + ": " +
                                        outcome.text + (said.empty() ? "" : "; it said: " + said));
    } else if (!said.empty()) {
        log_line(Severity::info, "hook " + hook.name + ": " + said);
    }
}

void Hooks::count(const HookOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    switch (outcome.end) {
        case HookEnd::done:
            ++counts_.done;
            return;
        case HookEnd::timed_out:
            ++counts_.timed_out;
            return;
        case HookEnd::failed:
        case HookEnd::not_started:
        case HookEnd::stopped:
            ++counts_.failed;
    }
}

}  // namespace coordinatord
