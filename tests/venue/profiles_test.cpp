// SPDX-License-Identifier: Apache-2.0
//
// The profiles of this checkout, all of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/rule.hpp"
#include "support/catch.hpp"
#include "venue/payload.hpp"
#include "venue/profile_search.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    const auto folder = std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/profiles";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool draws_on(const venue::Operation& operation, std::size_t limit) {
    return std::any_of(operation.draws.begin(), operation.draws.end(),
                       [&](const auto& draw) { return draw.limit == limit; });
}

/// A window, kept up for good.
std::uint64_t units_in_the_long_run(const LimitDefinition& definition) {
    const auto record = core::to_record(definition);
    REQUIRE(std::holds_alternative<core::LimitRecord>(record));
    const auto rule = core::compile(std::get<core::LimitRecord>(record));
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < (rule.has_reserve ? core::lanes : 1); ++i) {
        const auto& lane = rule.lane[i];
        units += rule.is_fixed()
                     ? lane.quota
                     : static_cast<std::uint64_t>(static_cast<unsigned __int128>(rule.window) *
                                                  lane.bucket.quota /
                                                  static_cast<std::uint64_t>(lane.bucket.period));
    }
    return units;
}

}  // namespace

TEST_CASE("every profile passes the check and has the name of its file") {
    const auto names = all_names();
    CHECK(names.size() == 19);
    const auto folder = std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/profiles/";
    for (const auto& name : names) {
        const auto report = venue::check(folder + name + ".toml");
        REQUIRE(report);
        for (const auto& finding : report->findings) FAIL_CHECK(finding.text());
        CHECK(profile_of(name).name() == name);
    }
}

TEST_CASE("every number says where it is from, as of when, and how far it is to be believed") {
    for (const auto& name : all_names()) {
        const auto profile = profile_of(name);
        for (const auto& limit : profile.model().limits) {
            INFO(name << " " << limit.definition.name);
            CHECK_FALSE(limit.provenance.source.empty());
            CHECK(limit.provenance.as_of.size() == 10);
            CHECK(std::string("ABC").find(limit.provenance.confidence) != std::string::npos);
        }
    }
}

TEST_CASE("a fixed limit whose count the venue tells is spread") {
    for (const auto& name : all_names()) {
        const auto profile = profile_of(name);
        const auto& model = profile.model();
        std::set<std::size_t> told;
        for (const auto& feedback : model.feedback) {
            // Raw requests are told in frames only, and never near their number.
            if (!feedback.frame.value_or(false)) told.insert(feedback.limit);
        }
        for (const auto index : told) {
            const auto& definition = model.limits[index].definition;
            INFO(name << " " << definition.name);
            if (definition.kind == LimitKind::fixed) CHECK(definition.spread);
        }
    }
}

TEST_CASE("a cancel draws critically, or on limits that nothing that opens draws on") {
    for (const auto& name : all_names()) {
        const auto profile = profile_of(name);
        const auto& model = profile.model();
        for (const auto& operation : model.operations) {
            if (operation.intent != Intent::close) continue;
            INFO(name << " " << operation.name);
            CHECK(operation.is_idempotent);
            for (const auto& draw : operation.draws) {
                const auto& limit = model.limits[draw.limit];
                const bool is_shared = std::any_of(
                    model.operations.begin(), model.operations.end(), [&](const auto& other) {
                        return other.intent == Intent::open && draws_on(other, draw.limit);
                    });
                if (!is_shared || limit.definition.per == "connection") continue;
                INFO(limit.definition.name);
                CHECK(limit.definition.reserve_percent > 0);
                CHECK(operation.lane == Lane::critical);
            }
        }
    }
}

TEST_CASE("a signal that stops a key stops one that its operations draw on") {
    for (const auto& name : all_names()) {
        const auto profile = profile_of(name);
        const auto& model = profile.model();
        const auto draws_per = [&](const venue::Operation& operation, const std::string& per) {
            return std::any_of(operation.draws.begin(), operation.draws.end(),
                               [&](const auto& draw) {
                                   return model.limits[draw.limit].definition.per == per &&
                                          venue::largest(draw.rule) > 0;
                               });
        };
        for (const auto& signal : model.signals) {
            if (signal.scope != Scope::key) continue;
            INFO(name << " " << signal.name);
            for (const auto index : signal.operations) {
                INFO(model.operations[index].name);
                CHECK(draws_per(model.operations[index], signal.per));
            }
            CHECK(std::any_of(model.operations.begin(), model.operations.end(),
                              [&](const auto& each) { return draws_per(each, signal.per); }));
        }
    }
}

TEST_CASE("no limit gives more in a window than its venue allows, nor less than two fifths of it") {
    for (const auto& name : all_names()) {
        const auto profile = profile_of(name);
        for (const auto& limit : profile.model().limits) {
            INFO(name << " " << limit.definition.name);
            const auto units = units_in_the_long_run(limit.definition);
            CHECK(units <= limit.definition.quota);
            // What a burst costs of the rate has bounds.
            CHECK(units * 5 >= (limit.definition.quota - 1) * 2);
        }
    }
}
