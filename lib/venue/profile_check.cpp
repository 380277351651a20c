// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/definition.hpp"
#include "venue/profile_parts.hpp"

namespace ratecoord::venue {
namespace {

using Indices = std::vector<std::uint16_t>;

std::string line_text(Place place) {
    return "line " + std::to_string(place.line);
}

/// Gives each limit its largest cost and has the core say whether it can be kept.
void check_limits(Profile& profile, Findings& findings) {
    std::vector<const Operation*> dearest(profile.limits.size(), nullptr);
    for (const auto& operation : profile.operations) {
        for (const auto& draw : operation.draws) {
            auto& most = profile.limits[draw.limit].definition.largest_cost;
            const auto units = largest(draw.rule);
            if (units <= most) continue;
            most = units;
            dearest[draw.limit] = &operation;
        }
    }
    for (std::size_t i = 0; i < profile.limits.size(); ++i) {
        const auto& limit = profile.limits[i];
        const auto answer = core::to_record(limit.definition);
        const auto* error = std::get_if<core::DefinitionError>(&answer);
        if (error == nullptr) continue;
        auto alone = limit.definition;
        alone.largest_cost = 1;
        const bool is_cost = dearest[i] != nullptr &&
                             std::holds_alternative<core::LimitRecord>(core::to_record(alone));
        if (is_cost) {
            findings.add(dearest[i]->place,
                         "operation " + in_quotes(dearest[i]->name) + ": " + error->message);
        } else {
            findings.add(limit.place, error->message);
        }
    }
}

void check_operation_names(const Profile& profile, Findings& findings) {
    std::map<std::string, const Operation*> seen;
    for (const auto& operation : profile.operations) {
        const auto [known, is_new] = seen.emplace(to_lower(operation.name), &operation);
        if (is_new) continue;
        findings.add(operation.place, "operation " + in_quotes(operation.name) + ": differs from " +
                                          in_quotes(known->second->name) + " of " +
                                          line_text(known->second->place) + " only in case");
    }
}

bool meet(const Indices& a, const Indices& b) {
    if (a.empty() || b.empty()) return true;
    return std::any_of(a.begin(), a.end(), [&](std::uint16_t index) {
        return std::find(b.begin(), b.end(), index) != b.end();
    });
}

bool is_header(const Feedback& feedback) {
    return feedback.count.kind == NumberSource::Kind::header;
}

/// One count from a header and one from a body are two forms of a venue's replies; two of a kind
/// contradict each other.
void check_feedback(const Profile& profile, Findings& findings) {
    const auto same = [](const Feedback& a, const Feedback& b) {
        return a.limit == b.limit && is_header(a) == is_header(b) &&
               (!a.frame || !b.frame || *a.frame == *b.frame) && meet(a.operations, b.operations);
    };
    for (std::size_t i = 0; i < profile.feedback.size(); ++i) {
        const auto& feedback = profile.feedback[i];
        for (std::size_t j = 0; j < i && feedback.limit != no_index; ++j) {
            const auto& earlier = profile.feedback[j];
            if (!same(feedback, earlier)) continue;
            findings.add(feedback.place,
                         "feedback: a second source for the count of " +
                             in_quotes(profile.limits[feedback.limit].definition.name) +
                             "; the first is on " + line_text(earlier.place));
            break;
        }
    }
}

bool covers(const std::vector<StatusRange>& wide, const std::vector<StatusRange>& narrow) {
    if (wide.empty()) return true;
    return !narrow.empty() &&
           std::all_of(narrow.begin(), narrow.end(), [&](const StatusRange& range) {
               return std::any_of(wide.begin(), wide.end(), [&](const StatusRange& w) {
                   return w.first <= range.first && range.last <= w.last;
               });
           });
}

bool covers(const std::vector<Literal>& wide, const std::vector<Literal>& narrow) {
    if (wide.empty()) return true;
    return !narrow.empty() &&
           std::all_of(narrow.begin(), narrow.end(), [&](const Literal& literal) {
               return std::any_of(wide.begin(), wide.end(), [&](const Literal& w) {
                   return w.text == literal.text && w.is_boolean == literal.is_boolean;
               });
           });
}

bool covers(const Indices& wide, const Indices& narrow) {
    if (wide.empty()) return true;
    return !narrow.empty() && std::all_of(narrow.begin(), narrow.end(), [&](std::uint16_t index) {
        return std::find(wide.begin(), wide.end(), index) != wide.end();
    });
}

/// Whether every reply that `later` matches is matched by `earlier`: each condition of the earlier
/// one is among the later one's, or weaker.
bool shadows(const Signal& earlier, const Signal& later) {
    const bool header = earlier.header.empty() || earlier.header == later.header;
    const bool absent =
        earlier.header_absent.empty() || earlier.header_absent == later.header_absent;
    const bool header_text = !earlier.header_text || earlier.header_text == later.header_text;
    const bool body = !earlier.body || (later.body && *earlier.body == *later.body &&
                                        covers(earlier.equals, later.equals));
    const bool text =
        !earlier.text || (earlier.text == later.text && earlier.text_in == later.text_in);
    const bool frame = !earlier.frame || earlier.frame == later.frame;
    return frame && header && absent && header_text && body && text &&
           covers(earlier.statuses, later.statuses) && covers(earlier.operations, later.operations);
}

void check_order_of_signals(const Profile& profile, Findings& findings) {
    for (std::size_t i = 0; i < profile.signals.size(); ++i) {
        const auto& signal = profile.signals[i];
        for (std::size_t j = 0; j < i; ++j) {
            const auto& earlier = profile.signals[j];
            if (earlier.name == signal.name) {
                findings.add(signal.place, "signal " + in_quotes(signal.name) +
                                               ": the name is taken by " +
                                               line_text(earlier.place));
                break;
            }
            if (!shadows(earlier, signal)) continue;
            findings.add(signal.place, "signal " + in_quotes(signal.name) + ": can never match; " +
                                           in_quotes(earlier.name) + " of " +
                                           line_text(earlier.place) + " always does before it");
            break;
        }
    }
}

void check_scope(const Profile& profile, const Signal& signal, Findings& findings) {
    const auto complain = [&](const std::string& why) {
        findings.add(signal.place, "signal " + in_quotes(signal.name) + ": " + why);
    };
    const bool stops = signal.action == Action::pause || signal.action == Action::ban;
    if (signal.action == Action::ban && signal.scope != Scope::address) {
        complain("a ban concerns the address; a key is paused");
    }
    if (signal.action == Action::pause && signal.scope == Scope::request) {
        complain("a pause concerns a key or the address; one request is told retry-later");
    }
    if (signal.scope == Scope::key) {
        const bool is_known =
            std::any_of(profile.limits.begin(), profile.limits.end(), [&](const Limit& limit) {
                return limit.definition.per == signal.per && !signal.per.empty();
            });
        if (!stops) complain("only a pause has the scope key");
        if (!is_known) complain("scope key needs per, as a limit has it");
    } else if (!signal.per.empty()) {
        complain("per goes with scope = \"key\"");
    }
    if (signal.scope == Scope::address && !stops) complain("only a pause or ban stops the address");
    const bool waits = stops || signal.action == Action::retry_later ||
                       signal.action == Action::overload ||
                       signal.action == Action::unknown_outcome;
    if (!waits && (!signal.waits.empty() || signal.at_least.count() > 0)) {
        complain("its action has no wait");
    }
}

void check_waits(const Profile& profile, const std::vector<WaitRule>& waits, Findings& findings) {
    for (const auto& rule : waits) {
        if (rule.fixed > profile.longest_wait) {
            findings.add(rule.place, "wait: is longer than longest_wait");
        }
    }
}

}  // namespace

void check_profile(Profile& profile, Findings& findings) {
    check_limits(profile, findings);
    check_operation_names(profile, findings);
    check_feedback(profile, findings);
    check_order_of_signals(profile, findings);
    check_waits(profile, profile.waits, findings);
    for (const auto& signal : profile.signals) {
        check_scope(profile, signal, findings);
        check_waits(profile, signal.waits, findings);
    }
}

}  // namespace ratecoord::venue
