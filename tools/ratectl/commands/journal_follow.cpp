// SPDX-License-Identifier: Apache-2.0
//
// Why no futex: a waiter on the epoch word would be woken by every pause and cancel of every
// process, and the journal moves without it. A look costs some 20 us.
#include "ratectl/commands/journal_follow.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ratecoord/budget.hpp>
#include <ratecoord/journal_follower.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/reports/event_json.hpp"
#include "ratectl/signal_watch.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::JournalFollower;
using ratecoord::grammar::in_quotes;

constexpr int look_every_ms = 200;

class Writer {
  public:
    Writer(const std::string& name, Console& console) : name_(name), console_(console) {
        if (!console_.json) console_.print(row("AT", "EVENT", "BY", "WHAT"));
    }

    void event(const ratecoord::JournalEntry& entry) {
        const auto clock = WallClock::read();
        if (!console_.json) {
            console_.print(row(clock.text(entry.at), printable(entry.kind), printable(entry.label),
                               printable(entry.text)));
            return;
        }
        Json value = beginning("event");
        put_event(value, entry, clock);
        console_.print_document(value);
    }

    /// Something about the journal itself; `lost` events were not seen.
    void notice(const char* code, const std::string& text, std::uint64_t lost = 0) {
        if (!console_.json) {
            console_.narrate(fmt::format("ratectl: {}: {}", name_, text));
            return;
        }
        Json value = beginning("notice");
        value["notice"] = code;
        value["text"] = text;
        value["lost"] = lost;
        console_.print_document(value);
    }

    void news(const JournalFollower::News& news) {
        if (news.made_anew) notice("made_anew", "it was made anew; its journal begins again");
        if (news.overwritten > 0) {
            notice("overwritten",
                   fmt::format("{} overwritten before they could be read",
                               news.overwritten == 1
                                   ? std::string("1 entry was")
                                   : fmt::format("{} entries were", news.overwritten)),
                   news.overwritten);
        }
        if (news.unfinished > 0) {
            notice("unfinished",
                   format_counted(news.unfinished, "entry", "entries") + " never got finished",
                   news.unfinished);
        }
        for (const auto& entry : news.entries) event(entry);
    }

  private:
    static std::string row(std::string_view at, std::string_view event, std::string_view by,
                           std::string_view text) {
        return fmt::format("{:<20}  {:<13}  {:<15}  {}\n", at, event, by.empty() ? "-" : by,
                           text.empty() ? "-" : text);
    }

    Json beginning(const char* type) const {
        Json value = new_document();
        value["budget"] = name_;
        value["type"] = type;
        return value;
    }

    const std::string& name_;
    Console& console_;
};

// False: it is time to end, because of a signal or because nobody reads any more.
bool wait_a_while(const SignalWatch& signals) {
    std::array<pollfd, 2> waits{{{signals.fd(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
    return ::poll(waits.data(), waits.size(), look_every_ms) <= 0;
}

}  // namespace

Done follow_journal(const std::string& name, std::size_t last, Console& console) {
    JournalFollower follower(last);
    SignalWatch signals({SIGINT, SIGTERM});
    auto page = ratecoord::read_journal_page(name);
    if (!page) {
        return tl::unexpected(
            budget_failure("read the journal of " + in_quotes(name), name, page.error()));
    }
    Writer writer(name, console);
    std::string problem;
    while (true) {
        if (page) {
            problem.clear();
            writer.news(follower.take(*page));
        } else if (page.error().message != problem) {
            problem = page.error().message;
            const bool gone = page.error().code == ratecoord::ErrorCode::no_such_budget;
            writer.notice(gone ? "destroyed" : "unreadable",
                          gone ? "it was destroyed; waiting until it is made again" : problem);
        }
        if (!console.flush() || !wait_a_while(signals)) return ExitCode::done;
        page = ratecoord::read_journal_page(name);
    }
}

}  // namespace ratectl
