// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "coordinatord/daemon.hpp"
#include "coordinatord/log.hpp"
#include "coordinatord/place.hpp"

namespace {

using coordinatord::log_line;
using coordinatord::Severity;

// As ratectl's.
enum Exit { done = 0, failed = 1, usage = 2, permission = 5, refused = 6 };

int exit_of(const ratecoord::Error& error) {
    if (error.code == ratecoord::ErrorCode::permission_denied) return permission;
    if (error.code == ratecoord::ErrorCode::busy) return refused;
    return failed;
}

int give_up(const ratecoord::Error& error) {
    log_line(Severity::error, error.message + (error.hint.empty() ? "" : "; " + error.hint));
    return exit_of(error);
}

int check(const std::string& file) {
    ratecoord::venue::Findings findings;
    const auto config = coordinatord::read_config(file, findings);
    for (const auto& finding : findings.list()) {
        std::fprintf(stderr, "%s\n", finding.text().c_str());
    }
    if (!config) return usage;
    for (const auto& budget : config->budgets) {
        std::printf("%s: %zu limits, from profile %s\n", budget.name.c_str(),
                    budget.profile.limits().size(), budget.profile.name().c_str());
    }
    std::printf("%s is sound: %zu budgets, %zu hooks\n", file.c_str(), config->budgets.size(),
                config->hooks.size());
    return done;
}

int serve(const std::string& file) {
    ratecoord::venue::Findings findings;
    auto config = coordinatord::read_config(file, findings);
    if (!config) {
        for (const auto& finding : findings.list()) log_line(Severity::error, finding.text());
        return usage;
    }
    const auto directory = coordinatord::prepare_place(*config);
    if (!directory) return give_up(directory.error());
    auto instance = coordinatord::Instance::claim(*directory);
    if (!instance) return give_up(instance.error());
    coordinatord::Daemon daemon(std::move(*config), std::move(*instance));
    if (const auto opened = daemon.open_door(); !opened) return give_up(opened.error());
    daemon.run();
    return done;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Looks after the budgets of this host: creates them, keeps their limits current,\n"
        "sweeps dead clients, tells hooks what happens, and shows it on loopback.",
        "coordinatord");
    std::string file = "/etc/ratecoord/coordinatord.toml";
    bool only_check = false;
    app.add_option("--config", file, "The configuration (/etc/ratecoord/coordinatord.toml)");
    app.add_flag("--check", only_check, "Reads it, says what is wrong with it, and ends");
    app.set_version_flag("--version", RATECOORD_VERSION);
    app.footer(
        "Exit status: 0 done, 1 failed, 2 usage or a wrong configuration, 5 permission,\n"
        "6 another coordinatord has the directory. See coordinatord(8).");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? done : usage;
    }
    try {
        return only_check ? check(file) : serve(file);
    } catch (const std::exception& error) {
        log_line(Severity::error, error.what());
        return failed;
    }
}
