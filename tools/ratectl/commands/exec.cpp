// SPDX-License-Identifier: Apache-2.0
//
// The program takes the place of ratectl: its exit code, its signals and its terminal are its own.
// A parent that waited would gain nothing: what the program's exit code says about the venue's
// reply, only its caller knows.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/permit_request.hpp"
#include "ratectl/commands/program_arguments.hpp"

namespace ratectl {

namespace {

using ratecoord::grammar::in_quotes;

// Could execvp find it? It is asked before a permit is drawn, so that a misspelt name costs
// nothing.
bool is_found(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), F_OK) == 0;
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
    while (true) {
        const auto end = std::min(rest.find(':'), rest.size());
        const std::string directory(end == 0 ? "." : rest.substr(0, end));
        if (::access((directory + "/" + program).c_str(), F_OK) == 0) return true;
        if (end == rest.size()) return false;
        rest.remove_prefix(end + 1);
    }
}

class Exec : public Command, public TakesProgram {
  public:
    void declare(Parameters& parameters) override {
        request_.declare(parameters);
        parameters.remark(
            "The exit code is the program's; 7 if no permit came, 126 if the program cannot "
            "be run, 127 if there is none.");
    }

    void take_program(std::vector<std::string> program) override { program_ = std::move(program); }

    Done run(Console&) override {
        if (program_.empty() || program_.front().empty()) {
            return tl::unexpected(usage_failure("run 'exec'", "no program is given",
                                                "write it after --, as in -- curl ..."));
        }
        const auto what = "run " + in_quotes(program_.front());
        if (!is_found(program_.front())) return tl::unexpected(not_run(what, ENOENT));
        auto granted =
            request_.acquire(what, std::filesystem::path(program_.front()).filename().string());
        if (!granted) return tl::unexpected(granted.error());

        std::vector<char*> arguments;
        for (auto& argument : program_) arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        ::execvp(arguments.front(), arguments.data());
        const int cause = errno;
        // Nothing was sent; where the limit allows it, the units come back.
        static_cast<void>(granted->budget.cancel(granted->decision.permit()));
        return tl::unexpected(not_run(what, cause));
    }

  private:
    static Failure not_run(const std::string& what, int cause) {
        const bool absent = cause == ENOENT;
        return {.what = what,
                .cause = std::strerror(cause),
                .hint = absent ? "is it installed, and in PATH?" : "is it executable?",
                .code = absent ? "command_not_found" : "cannot_execute",
                .exit = absent ? ExitCode::command_not_found : ExitCode::cannot_execute,
                .retry_after_ns = std::nullopt};
    }

    PermitRequest request_;
    std::vector<std::string> program_;
};

}  // namespace

std::unique_ptr<Command> make_exec() {
    return std::make_unique<Exec>();
}

}  // namespace ratectl
