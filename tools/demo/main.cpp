// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "demo/options.hpp"
#include "demo/scenes.hpp"

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

int complain(int exit_code, const std::string& message, const std::string& hint) {
    std::cerr << "ratecoord-demo: " << message << "\nhint: " << hint << '\n';
    return exit_code;
}

void write_json(const std::string& path, const demo::Report& report) {
    if (path.empty()) return;
    std::ofstream file(path, std::ios::trunc);
    file << demo::as_json(report);
    file.close();
    if (!file) throw std::runtime_error("cannot write --json '" + path + "'");
}

int run(const demo::Options& options) {
    demo::Signals signals;
    demo::Progress progress;
    demo::Report report;
    const std::string programs = demo::program_directory();
    demo::Cast cast{options, programs, signals, progress, report};
    for (const std::string& scene : options.scenes) demo::play(scene, cast);
    write_json(options.json_file, report);
    std::cout << '\n' << demo::as_table(report) << '\n';
    const auto missed = report.missed();
    for (const demo::Row& row : missed) {
        const std::string what = row.what.substr(row.what.find_first_not_of(' '));
        std::cerr << "ratecoord-demo: missed: " << row.scene << ": " << what << " is " << row.value
                  << ", wanted " << row.bar << '\n';
    }
    std::cout << demo::last_line(report) << std::endl;
    return missed.empty() ? done : failed;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(demo::read_options(argc, argv));
    } catch (const demo::HelpText& help) {
        std::cout << help.text;
        return done;
    } catch (const demo::UsageError& error) {
        return complain(usage, error.what(), error.hint());
    } catch (const demo::Interrupted&) {
        std::cerr << "\nratecoord-demo: interrupted; everything started was ended\n";
        return interrupted;
    } catch (const std::exception& error) {
        return complain(failed, std::string("cannot go on: ") + error.what(),
                        "add --keep DIR to look at the logs");
    }
}
