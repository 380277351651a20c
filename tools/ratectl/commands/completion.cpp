// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "ratectl/completion_script.hpp"

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"

namespace ratectl {

namespace {

class Completion : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("SHELL", shell_, "bash, zsh or fish");
    }

    Done run(Console& console) override {
        std::string text;
        if (shell_ == "bash") text = bash_completion();
        if (shell_ == "zsh") text = zsh_completion();
        if (shell_ == "fish") text = fish_completion();
        if (text.empty()) {
            return tl::unexpected(
                usage_failure("complete for " + ratecoord::grammar::in_quotes(shell_),
                              "it is none of bash, zsh and fish", "see 'ratectl help completion'"));
        }
        if (console.json) {
            Json document = new_document();
            document["shell"] = shell_;
            document["text"] = text;
            console.print_document(document);
        } else {
            console.print(text);
        }
        return ExitCode::done;
    }

  private:
    std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() {
    return std::make_unique<Completion>();
}

}  // namespace ratectl
