// SPDX-License-Identifier: Apache-2.0
#include "venue/profile.hpp"

#include <algorithm>
#include <cstdlib>

#include "venue/fields.hpp"
#include "venue/profile_search.hpp"

namespace ratecoord {
namespace {

std::vector<std::string_view> parameters_of(const venue::Operation& operation) {
    std::vector<std::string_view> names;
    for (const auto& draw : operation.draws) {
        const std::string_view name = draw.rule.parameter;
        if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
        names.push_back(name);
    }
    return names;
}

OperationSummary summary_of(const venue::Operation& operation) {
    return {operation.name, operation.intent, operation.lane, operation.is_idempotent,
            parameters_of(operation)};
}

Error first_of(const venue::Findings& findings) {
    const auto& list = findings.list();
    Error error{
        ErrorCode::invalid_argument, 0, list.empty() ? "is not a profile" : list[0].text(), {}};
    if (findings.count() > 1) {
        error.message += " (and " + std::to_string(findings.count() - 1) + " more)";
    }
    error.hint = "see all with 'ratectl profile check'";
    return error;
}

Result<const venue::Operation*> find(const venue::Profile& profile, std::string_view name) {
    const auto index = profile.find_operation(name);
    if (index != venue::no_index) return &profile.operations[index];
    std::vector<std::string_view> known;
    for (const auto& operation : profile.operations) known.push_back(operation.name);
    return fail(ErrorCode::unknown_name, "profile '" + profile.name + "' has no operation " +
                                             venue::in_quotes(name) +
                                             venue::suggestion(name, known));
}

Result<void> check_arguments(const venue::Operation& operation,
                             std::span<const Argument> arguments) {
    const auto known = parameters_of(operation);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto name = arguments[i].name;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return fail(ErrorCode::unknown_name,
                        "the cost of '" + operation.name + "' does not depend on " +
                            venue::in_quotes(name) + venue::suggestion(name, known));
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (arguments[j].name == name) {
                return fail(ErrorCode::invalid_argument,
                            "argument " + venue::in_quotes(name) + " is given twice");
            }
        }
    }
    return {};
}

}  // namespace

struct Profile::Loaded {
    venue::Profile model;
    std::vector<LimitDefinition> limits;
};

Profile::Profile(std::shared_ptr<const Loaded> loaded) noexcept
    : loaded_(std::move(loaded)), model_(&loaded_->model) {}

Result<Profile> Profile::load(std::string_view name_or_path) {
    auto text = venue::find_profile(name_or_path);
    if (!text) return tl::unexpected(std::move(text.error()));
    return parse(text->text, text->file);
}

Result<Profile> Profile::parse(std::string_view text, std::string_view file) {
    const venue::ProfileText whole{std::string(file), std::string(text)};
    venue::Findings findings;
    auto model = venue::read_profile(whole, venue::fetch_beside(whole.file), findings);
    if (!model) return tl::unexpected(first_of(findings));
    return venue::handle_of(std::move(*model));
}

ratecoord::Profile venue::handle_of(venue::Profile model) {
    auto loaded = std::make_shared<ratecoord::Profile::Loaded>();
    loaded->model = std::move(model);
    for (const auto& limit : loaded->model.limits) loaded->limits.push_back(limit.definition);
    return ratecoord::Profile(std::move(loaded));
}

const std::string& Profile::name() const noexcept {
    return model_->name;
}
const std::string& Profile::budget() const noexcept {
    return model_->budget;
}
const std::string& Profile::title() const noexcept {
    return model_->title;
}
const std::string& Profile::file() const noexcept {
    return model_->file;
}
const std::string& Profile::as_of() const noexcept {
    return model_->provenance.as_of;
}
const std::string& Profile::source() const noexcept {
    return model_->provenance.source;
}
char Profile::confidence() const noexcept {
    return model_->provenance.confidence;
}
const OrderRules& Profile::orders() const noexcept {
    return model_->orders;
}
const std::vector<LimitDefinition>& Profile::limits() const noexcept {
    return loaded_->limits;
}

std::vector<OperationSummary> Profile::operations() const {
    std::vector<OperationSummary> summaries;
    for (const auto& operation : model_->operations) summaries.push_back(summary_of(operation));
    return summaries;
}

Result<OperationSummary> Profile::operation(std::string_view name) const {
    const auto found = find(*model_, name);
    if (!found) return tl::unexpected(found.error());
    return summary_of(**found);
}

Result<std::vector<ProfileCost>> Profile::cost(std::string_view operation,
                                               std::span<const Argument> arguments) const {
    const auto found = find(*model_, operation);
    if (!found) return tl::unexpected(found.error());
    if (auto known = check_arguments(**found, arguments); !known) {
        return tl::unexpected(std::move(known.error()));
    }
    std::vector<ProfileCost> costs;
    for (const auto& draw : (*found)->draws) {
        using Kind = venue::CostAnswer::Kind;
        const auto answer = venue::evaluate(draw.rule, arguments);
        if (answer.kind == Kind::missing) {
            return fail(ErrorCode::invalid_argument, "the cost of '" + (*found)->name +
                                                         "' depends on '" + draw.rule.parameter +
                                                         "', which is not given");
        }
        if (answer.kind == Kind::too_large) {
            return fail(ErrorCode::invalid_argument, "'" + draw.rule.parameter + "' of '" +
                                                         (*found)->name + "' is at most " +
                                                         std::to_string(*draw.rule.value_max));
        }
        if (answer.units == 0) continue;
        const auto& limit = model_->limits[draw.limit].definition;
        costs.push_back({limit.name, answer.units, limit.per});
    }
    return costs;
}

Result<std::vector<ProfileCost>> Profile::cost(std::string_view operation,
                                               std::initializer_list<Argument> arguments) const {
    return cost(operation, std::span<const Argument>(arguments.begin(), arguments.size()));
}

}  // namespace ratecoord
