// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/permit_request.hpp"
#include "ratectl/quantity.hpp"
#include "ratectl/wall_clock.hpp"

namespace ratectl {

namespace {

class Acquire : public Command {
  public:
    void declare(Parameters& parameters) override { request_.declare(parameters); }

    Done run(Console& console) override {
        const auto& name = request_.budget_name();
        const auto granted =
            request_.acquire("acquire from " + ratecoord::grammar::in_quotes(name), "ratectl");
        if (!granted) return tl::unexpected(granted.error());
        const auto& permit = granted->decision.permit();
        const auto clock = WallClock::read();
        const auto until = nanoseconds_of(permit.valid_until());
        if (console.json) {
            Json document = new_document();
            document["budget"] = name;
            document["permit"] = permit.id();
            document["waited_seconds"] = seconds_value(granted->waited.count());
            document["booked_at"] = clock.value(nanoseconds_of(permit.at()));
            document["valid_until_at"] = clock.value(until);
            document["valid_for_seconds"] = seconds_value(clock.left_ns(until));
            console.print_document(document);
        } else {
            console.print(
                fmt::format("{}: permit {}, waited {}; the request must reach the venue "
                            "within {}\n",
                            name, permit.id(), format_age(granted->waited.count()),
                            format_left(clock.left_ns(until))));
        }
        return ExitCode::done;
    }

  private:
    PermitRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_acquire() {
    return std::make_unique<Acquire>();
}

}  // namespace ratectl
