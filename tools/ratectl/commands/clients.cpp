// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/budget_access.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/table.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

using ratecoord::ClientSnapshot;
using ratecoord::Snapshot;

std::string_view state_of(const ClientSnapshot& client) {
    if (!client.alive) return "dead";
    // Its pid is a number of another container.
    return client.same_pid_namespace ? "attached" : "elsewhere";
}

std::string render_text(const Snapshot& snapshot, const Console& console) {
    Table table({{"SLOT", Align::right},
                 {"PID", Align::right},
                 {"LABEL"},
                 {"STATE"},
                 {"FOR", Align::right},
                 {"GRANTED", Align::right},
                 {"WAITED", Align::right},
                 {"REFUSED", Align::right},
                 {"CANCELLED", Align::right},
                 {"LAPSED", Align::right},
                 {"WAITING", Align::right},
                 {"NEXT", Align::right}});
    for (const auto& client : snapshot.clients) {
        const bool waits = client.oldest_wait_until != 0;
        table.add({{fmt::format("{}", client.slot)},
                   {fmt::format("{}", client.pid)},
                   {printable(client.label)},
                   {std::string(state_of(client)), client.alive ? Tint::none : Tint::warning},
                   {format_age(snapshot.now - client.attached_at)},
                   {format_count(client.granted)},
                   {format_count(client.waited)},
                   {format_count(client.refused)},
                   {format_count(client.cancelled)},
                   {format_count(client.lapsed)},
                   {format_count(client.waiting)},
                   {waits ? format_left(client.oldest_wait_until - snapshot.now) : "-"}});
    }
    const auto summary =
        fmt::format("{}, room for {}\n", format_counted(snapshot.clients.size(), "client"),
                    snapshot.capacity.clients);
    return (table.empty() ? "" : table.text(console)) + summary;
}

Json render_json(const Snapshot& snapshot) {
    const WallClock clock(snapshot.now, snapshot.utc_offset);
    Json document = new_document();
    document["taken_at"] = clock.value(snapshot.now);
    document["budget"] = snapshot.name;
    document["room"] = snapshot.capacity.clients;
    document["clients"] = Json::array();
    for (const auto& client : snapshot.clients) {
        Json value;
        value["slot"] = client.slot;
        value["pid"] = client.pid;
        value["label"] = client.label;
        value["state"] = state_of(client);
        value["uid"] = client.uid;
        value["attached_at"] = clock.value(client.attached_at);
        value["granted_total"] = client.granted;
        value["waited_total"] = client.waited;
        value["refused_total"] = client.refused;
        value["reserved_total"] = client.reserved;
        value["cancelled_total"] = client.cancelled;
        value["lapsed_total"] = client.lapsed;
        value["replies_total"] = client.replies;
        value["late_replies_total"] = client.late_replies;
        value["waiting"] = client.waiting;
        value["next_at"] = clock.value(client.oldest_wait_until);
        document["clients"].push_back(std::move(value));
    }
    return document;
}

class Clients : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("NAME", name_, "the budget");
    }

    Done run(Console& console) override {
        const auto snapshot =
            look_at("list the clients of " + ratecoord::grammar::in_quotes(name_), name_);
        if (!snapshot) return tl::unexpected(snapshot.error());
        if (console.json) {
            console.print_document(render_json(*snapshot));
        } else {
            console.print(render_text(*snapshot, console));
        }
        return ExitCode::done;
    }

  private:
    std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_clients() {
    return std::make_unique<Clients>();
}

}  // namespace ratectl
