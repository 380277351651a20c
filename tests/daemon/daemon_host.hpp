// SPDX-License-Identifier: Apache-2.0
//
// A host with one real coordinatord: a directory of its own, the socket that systemd would listen
// on, the profile `acme`, and what the daemon said.
//
// PROMISE  Budgets are those of its own directory. Every daemon it started has ended when it goes.
// NEEDS    One at a time: it changes the environment, and, while a daemon is started, where standard
//          error goes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <ratecoord/budget.hpp>

#include "daemon/notify_socket.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace ratecoord::testing {

inline std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class DaemonHost {
  public:
    /// `limits` as in a profile: [limits.NAME] tables.
    explicit DaemonHost(const std::string& limits) {
        std::ofstream(path("acme.toml"))
            << "schema = 1\nname = \"acme\"\ntitle = \"Acme\"\nas_of = 2030-01-01\n"
               "source = \"nobody\"\nconfidence = \"A\"\n"
            << limits;
        configure({});
    }

    std::string path(const std::string& name) const { return scratch_.path() + '/' + name; }
    std::string state() const { return path("state"); }
    std::string stops() const { return state() + "/acme.stops"; }
    NotifySocket& systemd() { return systemd_; }

    /// `overrides`: what stands below [budgets.acme].
    void configure(const std::string& overrides) const {
        std::ofstream(path("coordinatord.toml"))
            << "schema = 1\ninterval = \"100ms\"\n[budgets.acme]\n"
            << overrides;
    }
    /// Ready when this returns; its standard error goes to said().
    std::unique_ptr<Program> start() {
        const int before = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        const int log =
            ::open(path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        REQUIRE(log >= 0);
        ::dup2(log, STDERR_FILENO);
        auto daemon = std::make_unique<Program>(
            "coordinatord", std::vector<std::string>{"--config", path("coordinatord.toml")});
        ::dup2(before, STDERR_FILENO);
        ::close(before);
        ::close(log);
        REQUIRE_FALSE(systemd_.wait_for("READY=1").empty());
        return daemon;
    }
    /// All that its daemons said so far.
    std::string said() const { return text_of(path("log")); }
    /// Passes ticks of the daemon until it is so; false where that takes too many of them.
    template <class Predicate>
    bool comes_true(Predicate&& is_so, int ticks = 300) {
        for (; ticks > 0; --ticks) {
            if (is_so()) return true;
            if (!systemd_.pass_a_tick()) return false;
        }
        return is_so();
    }
    bool says(const std::string& words) {
        return comes_true([&] { return said().find(words) != std::string::npos; }, 50);
    }

  private:
    ScratchDirectory scratch_;
    NotifySocket systemd_{scratch_.path()};
};

}  // namespace ratecoord::testing
