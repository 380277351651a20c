// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/journal_follow.hpp"
#include "ratectl/reports/event_json.hpp"
#include "ratectl/table.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::JournalEntry;

std::string render_text(const std::vector<JournalEntry>& entries, const Console& console) {
    const auto clock = WallClock::read();
    Table table({{"AT"}, {"EVENT"}, {"BY"}, {"WHAT"}});
    for (const auto& entry : entries) {
        table.add({{clock.text(entry.at)},
                   {printable(entry.kind)},
                   {entry.label.empty() ? "-" : printable(entry.label)},
                   {entry.text.empty() ? "-" : printable(entry.text)}});
    }
    return table.empty() ? "nothing happened yet\n" : table.text(console);
}

Json render_json(const std::string& name, const std::vector<JournalEntry>& entries) {
    const auto clock = WallClock::read();
    Json document = new_document();
    document["taken_at"] = clock.value(clock.now_ns());
    document["budget"] = name;
    document["events"] = Json::array();
    for (const auto& entry : entries) {
        Json value;
        put_event(value, entry, clock);
        document["events"].push_back(std::move(value));
    }
    return document;
}

class Journal : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
        parameters.option("-n,--last", "COUNT", last_, "at most so many events; 50 if not given");
        parameters.flag("-f,--follow", follow_, "then print events as they come, until ctrl-c");
    }

    Done run(Console& console) override {
        const auto what = "read the journal of " + ratecoord::grammar::in_quotes(name_);
        const auto last = ratecoord::grammar::parse_number("--last", last_);
        if (!last) {
            return tl::unexpected(
                usage_failure(what, last.error().message, "see 'ratectl journal --help'"));
        }
        if (follow_) return follow_journal(name_, static_cast<std::size_t>(*last), console);
        const auto entries = ratecoord::read_journal(name_, static_cast<std::size_t>(*last));
        if (!entries) return tl::unexpected(budget_failure(what, name_, entries.error()));
        if (console.json) {
            console.print_document(render_json(name_, *entries));
        } else {
            console.print(render_text(*entries, console));
        }
        return ExitCode::done;
    }

  private:
    std::string name_;
    std::string last_ = "50";
    bool follow_ = false;
};

}  // namespace

std::unique_ptr<Command> make_journal() {
    return std::make_unique<Journal>();
}

}  // namespace ratectl
