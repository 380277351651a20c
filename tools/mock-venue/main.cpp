// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "mock-venue/options.hpp"
#include "mock-venue/server.hpp"

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int usage = 2;
constexpr int internal = 70;

int complain(int exit_code, const std::string& message, const std::string& hint) {
    std::cerr << "mock-venue: " << message << "\nhint: " << hint << '\n';
    return exit_code;
}

// Hundreds of clients with a connection each are more than the usual soft limit allows for.
void allow_many_connections() {
    ::rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

bool announce(const mock_venue::Server& server, const std::string& port_file) {
    if (!port_file.empty()) {
        std::ofstream file(port_file, std::ios::trunc);
        file << server.port() << '\n';
        file.close();
        if (!file) return false;
    }
    std::cout << "listening on http://127.0.0.1:" << server.port() << std::endl;
    return true;
}

int serve(const mock_venue::Options& options) {
    mock_venue::Server server(options);
    if (!announce(server, options.port_file)) {
        return complain(failed, "cannot write --port-file '" + options.port_file + "'",
                        "name a file in a directory that exists and can be written");
    }
    if (server.run()) return done;
    return complain(failed, "cannot write all of --log '" + options.log_file + "'",
                    "free some space; the log is incomplete");
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    allow_many_connections();
    try {
        return serve(mock_venue::read_options(argc, argv));
    } catch (const mock_venue::HelpText& help) {
        std::cout << help.text;
        return done;
    } catch (const mock_venue::UsageError& error) {
        return complain(usage, error.what(), error.hint());
    } catch (const mock_venue::StartError& error) {
        return complain(failed, error.what(), error.hint());
    } catch (const std::exception& error) {
        return complain(internal, std::string("cannot go on: ") + error.what(),
                        "this is a fault of mock-venue itself");
    }
}
