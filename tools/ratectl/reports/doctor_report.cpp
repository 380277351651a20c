// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/doctor_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

std::string_view name_of(Grade grade) {
    switch (grade) {
        case Grade::fine:
            return "ok";
        case Grade::note:
            return "note";
        case Grade::attention:
            return "needs a hand";
    }
    return "unknown";
}

std::string_view word_of(Grade grade) {
    return grade == Grade::attention ? "needs_a_hand" : name_of(grade);
}

Tint tint_of(Grade grade) {
    return grade == Grade::fine ? Tint::good : grade == Grade::note ? Tint::none : Tint::alarm;
}

std::string subject_of(const Finding& finding) {
    return printable(finding.budget.empty() ? finding.check
                                            : finding.budget + ": " + finding.check);
}

std::string paragraph(const Finding& finding, const Console& console) {
    const auto grade = console.tinted(name_of(finding.grade), tint_of(finding.grade));
    if (finding.grade == Grade::fine) {
        return fmt::format("{}: {}: {}\n", grade, subject_of(finding), printable(finding.seen));
    }
    auto text = fmt::format("{}: {}\n  {}\n", grade, subject_of(finding), printable(finding.seen));
    if (!finding.why.empty()) text += fmt::format("  why: {}\n", printable(finding.why));
    if (!finding.next.empty()) text += fmt::format("  next: {}\n", printable(finding.next));
    return text + '\n';
}

std::size_t count(const DoctorReport& report, Grade grade) {
    return static_cast<std::size_t>(
        std::count_if(report.findings.begin(), report.findings.end(),
                      [&](const auto& finding) { return finding.grade == grade; }));
}

}  // namespace

void put_attention_first(DoctorReport& report) {
    std::stable_sort(report.findings.begin(), report.findings.end(),
                     [](const auto& a, const auto& b) { return a.grade > b.grade; });
}

std::size_t count_attention(const DoctorReport& report) {
    return count(report, Grade::attention);
}

std::string render_text(const DoctorReport& report, const Console& console) {
    std::string text;
    for (const auto& finding : report.findings) text += paragraph(finding, console);
    const auto hands = count(report, Grade::attention);
    const auto notes = count(report, Grade::note);
    const auto looked = format_counted(report.findings.size(), "finding");
    const auto needing = hands == 0   ? std::string("nothing needs a hand")
                         : hands == 1 ? std::string("1 needs a hand")
                                      : fmt::format("{} need a hand", hands);
    return text + fmt::format("{}: {}, {}\n", looked, needing, format_counted(notes, "note"));
}

Json render_json(const DoctorReport& report) {
    Json document = new_document();
    document["taken_at"] = report.taken_at;
    document["attention"] = count(report, Grade::attention);
    document["findings"] = Json::array();
    for (const auto& finding : report.findings) {
        Json value;
        value["grade"] = word_of(finding.grade);
        value["check"] = finding.check;
        value["budget"] = text_value(finding.budget);
        value["text"] = finding.seen;
        value["why"] = text_value(finding.why);
        value["next"] = text_value(finding.next);
        document["findings"].push_back(std::move(value));
    }
    return document;
}

}  // namespace ratectl
