// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/help_text.hpp"
#include "ratectl/shared_options.hpp"

namespace ratectl {

namespace {

class Help : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.optional_argument("TOPIC", topic_, "a command or a topic; without: all of them");
    }

    Done run(Console& console) override {
        auto text = find();
        if (!text) return tl::unexpected(text.error());
        if (console.json) {
            Json document = new_document();
            document["topic"] = text_value(topic_);
            document["text"] = *text;
            console.print_document(document);
        } else {
            console.print(*text);
        }
        return ExitCode::done;
    }

  private:
    Outcome<std::string> find() const {
        if (topic_.empty()) return overview();
        if (const auto* entry = find_command(topic_)) {
            const auto command = entry->make();
            Parameters parameters;
            SharedOptions shared;
            command->declare(parameters);
            shared.declare(parameters);
            return command_help(*entry, parameters);
        }
        const auto topics = help_topics();
        const auto topic = std::find_if(topics.begin(), topics.end(),
                                        [&](const auto& each) { return each.name == topic_; });
        if (topic != topics.end()) return std::string(topic->text);
        auto names = command_names();
        for (const auto& each : topics) names.push_back(each.name);
        const auto nearest = nearest_of(topic_, names);
        return tl::unexpected(usage_failure(
            "explain " + ratecoord::grammar::in_quotes(topic_), "there is no such command or topic",
            nearest.empty() ? "see 'ratectl help'"
                            : "did you mean 'ratectl help " + std::string(nearest) + "'?"));
    }

    std::string topic_;
};

}  // namespace

std::unique_ptr<Command> make_help() {
    return std::make_unique<Help>();
}

}  // namespace ratectl
