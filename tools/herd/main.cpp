// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "herd/options.hpp"
#include "herd/run.hpp"

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int usage = 2;
constexpr int internal = 70;

int complain(int exit_code, const std::string& message, const std::string& hint) {
    std::cerr << "herd: " << message << "\nhint: " << hint << '\n';
    return exit_code;
}

int report(const herd::Summary& summary, bool json) {
    std::cout << (json ? as_json(summary) : as_text(summary)) << std::flush;
    for (const auto& [message, count] : summary.errors) {
        std::cerr << "herd: " << message << " (" << count << " times)\n";
    }
    return summary.went_well() ? done : failed;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const herd::Options options = herd::read_options(argc, argv);
        return report(herd::run_herd(options), options.json);
    } catch (const herd::HelpText& help) {
        std::cout << help.text;
        return done;
    } catch (const herd::UsageError& error) {
        return complain(usage, error.what(), error.hint());
    } catch (const herd::RunError& error) {
        return complain(failed, error.what(), error.hint());
    } catch (const std::exception& error) {
        return complain(internal, std::string("cannot go on: ") + error.what(),
                        "this is a fault of herd itself");
    }
}
