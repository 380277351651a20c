// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/limit_arguments.hpp"

#include <algorithm>

#include "grammar/limit_text.hpp"
#include "grammar/number.hpp"

namespace ratectl {

namespace {

using ratecoord::LimitDefinition;
using ratecoord::Snapshot;

const LimitDefinition* find_limit(const Snapshot* snapshot, const std::string& name) {
    if (snapshot == nullptr) return nullptr;
    const auto found =
        std::find_if(snapshot->limits.begin(), snapshot->limits.end(),
                     [&](const auto& limit) { return limit.definition.name == name; });
    return found == snapshot->limits.end() ? nullptr : &found->definition;
}

Failure unusable(const std::string& what, std::string cause) {
    return usage_failure(what, std::move(cause), "see 'ratectl help limits'");
}

}  // namespace

void declare_limits(Parameters& parameters, std::vector<std::string>& texts) {
    parameters.options("--limit", "LIMIT", texts,
                       "NAME=QUOTA/WINDOW[,kind=...][,burst=N][,slack=D][,per=WHAT][,reserve=P%]"
                       "[,spread][,largest=N]; may be repeated; see 'ratectl help limits'");
}

Outcome<std::vector<LimitDefinition>> read_limits(const std::string& what,
                                                  const std::vector<std::string>& texts,
                                                  const Snapshot* in_force) {
    std::vector<LimitDefinition> limits;
    for (const auto& text : texts) {
        const auto* base = find_limit(in_force, ratecoord::grammar::limit_name(text));
        auto limit = ratecoord::grammar::parse_limit(text, base);
        if (!limit) return tl::unexpected(unusable(what, limit.error().message));
        const bool twice = std::any_of(limits.begin(), limits.end(), [&](const auto& other) {
            return other.name == limit->name;
        });
        if (twice) {
            return tl::unexpected(unusable(
                what, "limit " + ratecoord::grammar::in_quotes(limit->name) + " is given twice"));
        }
        limits.push_back(*std::move(limit));
    }
    if (limits.empty()) {
        return tl::unexpected(
            unusable(what, "no limit is given; add --limit, such as --limit weight=6000/1m"));
    }
    return limits;
}

}  // namespace ratectl
