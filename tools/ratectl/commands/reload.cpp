// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ratectl/commands/change_arguments.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/daemon_contact.hpp"

namespace ratectl {

namespace {

constexpr auto patience = std::chrono::seconds(10);
constexpr int look_every_ms = 20;

Failure failed(std::string cause, std::string hint, std::string code,
               ExitCode exit = ExitCode::failed) {
    return {.what = "reload",
            .cause = std::move(cause),
            .hint = std::move(hint),
            .code = std::move(code),
            .exit = exit,
            .retry_after_ns = std::nullopt};
}

class Reload : public Command {
  public:
    void declare(Parameters& parameters) override { declare_dry_run(parameters, dry_run_); }

    Done run(Console& console) override {
        const auto daemon = find_daemon("reload");
        if (!daemon) return tl::unexpected(daemon.error());
        if (dry_run_) {
            print(console, *daemon, "would be told to read its configuration again (dry run)");
            return ExitCode::done;
        }
        if (::kill(daemon->pid, SIGHUP) != 0) {
            const int error = errno;
            return tl::unexpected(
                failed(fmt::format("pid {} cannot be told: {}", daemon->pid, std::strerror(error)),
                       "run it as root or as the user of coordinatord", "permission",
                       error == EPERM ? ExitCode::permission : ExitCode::failed));
        }
        return await(console, *daemon);
    }

  private:
    /// The daemon writes the outcome into its lock file and tells nobody; so it is looked at.
    Done await(Console& console, const DaemonContact& before) const {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < end) {
            const auto now = find_daemon("reload");
            if (!now || now->pid != before.pid) {
                return tl::unexpected(failed(fmt::format("coordinatord (pid {}) ended", before.pid),
                                             "its log says why", "ended"));
            }
            if (now->reloads > before.reloads) {
                if (!now->problem.empty()) {
                    return tl::unexpected(failed(now->problem,
                                                 "nothing was changed; correct it first",
                                                 "wrong_configuration"));
                }
                print(console, *now, "has read its configuration again");
                return ExitCode::done;
            }
            ::poll(nullptr, 0, look_every_ms);
        }
        return tl::unexpected(
            failed(fmt::format("coordinatord (pid {}) has not answered within 10s", before.pid),
                   "its log says what it does", "timeout"));
    }

    void print(Console& console, const DaemonContact& daemon, std::string_view text) const {
        if (!console.json) {
            console.print(fmt::format("coordinatord (pid {}) {}\n", daemon.pid, text));
            return;
        }
        auto document = new_document();
        document["action"] = "reload";
        document["dry_run"] = dry_run_;
        document["directory"] = daemon.directory;
        document["pid"] = daemon.pid;
        document["reloads_total"] = daemon.reloads;
        console.print_document(document);
    }

    bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> make_reload() {
    return std::make_unique<Reload>();
}

}  // namespace ratectl
