// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/explanation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "grammar/number.hpp"
#include "ratectl/failure.hpp"
#include "ratectl/reports/profile_words.hpp"

namespace ratectl {

namespace {

using ratecoord::WaitSource;
using ratecoord::grammar::UtcTime;
using ratecoord::venue::no_index;
using ratecoord::venue::Reading;
using Model = ratecoord::venue::Profile;

// Waits count from receipt; any instant serves for it.
constexpr ratecoord::BootTime receipt{std::chrono::hours(24)};

// Saturates: a wait that is named may be as long as it likes.
UtcTime later(UtcTime at, std::int64_t ns) {
    const auto most = UtcTime::max() - at;
    return at + std::min(most, UtcTime::duration(ns));
}

void explain_wait(const Model& model, Explanation& explanation) {
    const auto& reading = explanation.reading;
    if (reading.wait_rule >= reading.waits.size()) return;
    const auto& rule = reading.waits[reading.wait_rule];
    explanation.wait_rule = wait_text(model, rule);
    // The default of the default stands in no file.
    if (rule.place.line > 0) explanation.wait_place = place_text(model, rule.place);
}

void explain_decision(const Model& model, const ExplainedReply& asked, Explanation& explanation) {
    const auto& reading = explanation.reading;
    if (reading.signal != no_index) {
        const auto& signal = model.signals[reading.signal];
        explanation.signal = signal.name;
        explanation.decided_by = "signal " + ratecoord::grammar::in_quotes(signal.name);
        explanation.when = conditions_text(model, signal);
        explanation.place = place_text(model, signal.place);
        explanation.note = signal.provenance.note;
    } else if (asked.reply.transport != ratecoord::Transport::replied) {
        explanation.decided_by = "the transport";
    } else if (reading.status == 0) {
        explanation.decided_by = "nothing in the frame";
    } else {
        explanation.decided_by = fmt::format("status {}", reading.status);
    }
    if (reading.is_broken) explanation.decided_by += ", and the body is cut off or no JSON";
}

void explain_counts(const Model& model, Explanation& explanation) {
    for (const auto& count : explanation.reading.counts.all()) {
        const auto& feedback = model.feedback[count.feedback];
        explanation.counts.push_back({.limit = model.limits[count.limit].definition.name,
                                      .units = count.units,
                                      .is_remaining = count.is_remaining,
                                      .stands_in = count_text(feedback),
                                      .place = place_text(model, feedback.place)});
    }
}

void explain_charges(const Model& model, std::uint16_t operation, Explanation& explanation) {
    const auto& reading = explanation.reading;
    for (std::size_t i = 0; i < reading.charge_count; ++i) {
        const auto& charge = reading.charges[i];
        std::optional<std::uint64_t> booked;
        for (const auto& draw : model.operations[operation].draws) {
            if (draw.limit != charge.limit) continue;
            const auto answer = ratecoord::venue::evaluate(draw.rule, {});
            if (answer.kind == ratecoord::venue::CostAnswer::Kind::known) booked = answer.units;
        }
        if (booked == charge.units) continue;
        explanation.charges.push_back(
            {model.limits[charge.limit].definition.name, booked, charge.units});
    }
}

}  // namespace

Explanation explain(const ratecoord::Profile& profile, const ExplainedReply& asked) {
    const auto& model = profile.model();
    const auto operation =
        asked.operation.empty() ? no_index : model.find_operation(asked.operation);
    Explanation explanation;
    explanation.profile = model.name;
    explanation.operation = asked.operation;
    explanation.status = asked.status_text;
    explanation.reading =
        ratecoord::venue::read(model, asked.reply, operation,
                               {.now = receipt, .utc_ns = asked.at.time_since_epoch().count()});
    explanation.until = later(asked.at, explanation.reading.wait_ns);
    explain_wait(model, explanation);
    explain_decision(model, asked, explanation);
    explain_counts(model, explanation);
    if (operation != no_index) explain_charges(model, operation, explanation);
    return explanation;
}

}  // namespace ratectl
