// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/input_text.hpp"
#include "ratectl/reports/explanation.hpp"
#include "venue/profile.hpp"

namespace ratectl {

namespace {

using ratecoord::Header;
using ratecoord::Transport;
using ratecoord::grammar::in_quotes;

// More than the library reads of any body, so that its own bound is what is seen.
constexpr std::size_t body_bytes_most = std::size_t{64} << 20;

class Explain : public Command {
  public:
    void declare(Parameters& parameters) override {
        parameters.argument("PROFILE", name_, "the venue's profile, by name or path");
        parameters.option("--status", "STATUS", status_,
                          "the reply's status, 100 to 599; or frame (a WebSocket message), "
                          "maybe-sent (no reply came), not-sent");
        parameters.options("--header", "LINE", lines_,
                           "a header as 'Name: value'; may be repeated");
        parameters.option("--body", "FILE", body_, "what the reply holds; - for standard input");
        parameters.option("--at", "INSTANT", at_,
                          "when it was received, as 2027-03-02T10:02:00Z; now if not given");
        parameters.option("--operation", "NAME", operation_, "the request that it answers");
    }

    Done run(Console& console) override {
        what_ = "explain a reply of " + in_quotes(name_);
        const auto profile = load_profile(what_, name_);
        if (!profile) return tl::unexpected(profile.error());
        ExplainedReply asked;
        std::string body;
        for (const auto read : {&Explain::read_status, &Explain::read_headers, &Explain::read_at}) {
            if (auto done = (this->*read)(asked); !done) return tl::unexpected(done.error());
        }
        if (auto done = read_operation(*profile, asked); !done) return tl::unexpected(done.error());
        if (!body_.empty()) {
            auto text = read_input(what_, body_, body_bytes_most);
            if (!text) return tl::unexpected(text.error());
            body = *std::move(text);
            asked.reply.body = body;
        }
        const auto explanation = explain(*profile, asked);
        if (console.json) {
            console.print_document(render_json(explanation));
        } else {
            console.print(render_text(explanation, console));
        }
        return ExitCode::done;
    }

  private:
    Failure usage(std::string cause) const {
        return usage_failure(what_, std::move(cause), "see 'ratectl explain --help'");
    }

    Outcome<void> read_status(ExplainedReply& asked) {
        asked.status_text = status_;
        if (status_.empty()) {
            return tl::unexpected(usage("--status is not given"));
        }
        if (status_ == "frame") return {};
        if (status_ == "maybe-sent" || status_ == "not-sent") {
            asked.reply.transport =
                status_ == "not-sent" ? Transport::not_sent : Transport::maybe_sent;
            return {};
        }
        const auto number = ratecoord::grammar::parse_number("--status", status_);
        if (!number || *number < 100 || *number > 599) {
            return tl::unexpected(usage("--status " + in_quotes(status_) +
                                        " is none of 100 to 599, frame, maybe-sent, not-sent"));
        }
        asked.reply.status = static_cast<int>(*number);
        return {};
    }

    Outcome<void> read_headers(ExplainedReply& asked) {
        headers_.clear();
        for (const std::string_view line : lines_) {
            const auto colon = line.find(':');
            if (colon == std::string_view::npos || colon == 0) {
                return tl::unexpected(
                    usage("--header " + in_quotes(line) + " is not written 'Name: value'"));
            }
            headers_.push_back({line.substr(0, colon), line.substr(colon + 1)});
        }
        asked.reply.headers = headers_;
        return {};
    }

    Outcome<void> read_at(ExplainedReply& asked) {
        if (at_.empty()) {
            asked.at = std::chrono::system_clock::now();
            return {};
        }
        const auto at = ratecoord::grammar::parse_instant("--at", at_);
        if (!at) return tl::unexpected(usage(at.error().message));
        asked.at = *at;
        return {};
    }

    Outcome<void> read_operation(const ratecoord::Profile& profile, ExplainedReply& asked) {
        asked.operation = operation_;
        const auto& model = profile.model();
        if (operation_.empty() || model.find_operation(operation_) != ratecoord::venue::no_index) {
            return {};
        }
        std::vector<std::string_view> names;
        for (const auto& operation : model.operations) names.push_back(operation.name);
        const auto nearest = nearest_of(operation_, names);
        return tl::unexpected(Failure{
            .what = what_,
            .cause = "it has no operation " + in_quotes(operation_),
            .hint = nearest.empty() ? "see 'ratectl profile show " + printable(name_) + "'"
                                    : "did you mean '--operation " + std::string(nearest) + "'?",
            .code = "unknown_name",
            .exit = ExitCode::unknown_name,
            .retry_after_ns = std::nullopt});
    }

    std::string name_;
    std::string status_;
    std::vector<std::string> lines_;
    std::string body_;
    std::string at_;
    std::string operation_;
    std::vector<Header> headers_;
    std::string what_;
};

}  // namespace

std::unique_ptr<Command> make_explain() {
    return std::make_unique<Explain>();
}

}  // namespace ratectl
