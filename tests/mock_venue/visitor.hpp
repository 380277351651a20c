// SPDX-License-Identifier: Apache-2.0
//
// A venue and somebody who sends it requests at chosen instants, without a socket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mock-venue/option_text.hpp"
#include "mock-venue/options.hpp"
#include "mock-venue/venue.hpp"
#include "mock_venue/moments.hpp"

namespace mock_venue::testing {

struct HeaderField {
    std::string name;
    std::string value;
};

// The rules that a command line stands for.
inline VenueRules rules_of(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"mock-venue"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return read_options(static_cast<int>(argv.size()), argv.data()).rules;
}

// A request from 127.0.0.1, with the query taken from the target.
class Visitor {
  public:
    explicit Visitor(const VenueRules& rules) : log_(""), venue_(rules, midnight, log_) {}
    explicit Visitor(const std::vector<std::string>& arguments) : Visitor(rules_of(arguments)) {}

    Reply send(Nanos when, const std::string& method, const std::string& target,
               const std::vector<HeaderField>& headers = {}) {
        std::vector<HeaderView> views;
        for (const HeaderField& field : headers) views.push_back({field.name, field.value});
        const auto question = target.find('?');
        const std::string path = target.substr(0, question);
        Request request;
        request.now = at(when);
        request.method = method;
        request.path = path;
        request.address = "127.0.0.1";
        request.headers = views;
        if (question != std::string::npos) {
            read_parameters(std::string_view(target).substr(question + 1), request.parameters);
        }
        return venue_.answer(request);
    }

    Reply get(Nanos when, const std::string& target, const std::vector<HeaderField>& headers = {}) {
        return send(when, "GET", target, headers);
    }

    Venue& venue() { return venue_; }

  private:
    ArrivalLog log_;
    Venue venue_;
};

// Not a Catch2 matcher: its name for this differs between the versions.
inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// The value of a header of the reply, spelled exactly so; empty if it is not there.
inline std::string header_of(const Reply& reply, const std::string& name) {
    for (const auto& [each, value] : reply.headers) {
        if (each == name) return value;
    }
    return "";
}

}  // namespace mock_venue::testing
