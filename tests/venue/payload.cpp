// SPDX-License-Identifier: Apache-2.0
#include "venue/payload.hpp"

#include <cstdlib>

#include "support/catch.hpp"
#include "venue/reading.hpp"

namespace ratecoord::testing {

namespace {

using venue::Reading;

std::string duration_text(std::int64_t ns) {
    constexpr std::int64_t ms = 1'000'000;
    if (ns % (1000 * ms) == 0) return std::to_string(ns / (1000 * ms)) + "s";
    if (ns % ms == 0) return std::to_string(ns / ms) + "ms";
    return std::to_string(ns) + "ns";
}

std::string counts_text(const venue::Profile& model, const Reading& reading) {
    std::string text;
    for (const auto& count : reading.counts.all()) {
        text += "; " + model.limits[count.limit].definition.name + " " +
                std::to_string(count.units) + (count.is_remaining ? " left" : " used");
    }
    return text;
}

std::string charges_text(const venue::Profile& model, const Reading& reading) {
    std::string text;
    for (std::size_t i = 0; i < reading.charge_count; ++i) {
        const auto& charge = reading.charges[i];
        text += "; cost " + model.limits[charge.limit].definition.name + " " +
                std::to_string(charge.units);
    }
    return text;
}

std::string text_of(const venue::Profile& model, const Reading& reading) {
    std::string text = std::string(name_of(reading.action)) + " " + name_of(reading.scope);
    if (!reading.per.empty()) text += ":" + std::string(reading.per);
    if (reading.wait_ns > 0) {
        text += " " + duration_text(reading.wait_ns) + " " + name_of(reading.source);
    }
    text += counts_text(model, reading) + charges_text(model, reading);
    if (reading.partly_done) text += "; partly done";
    if (reading.is_duplicate) text += "; duplicate";
    if (reading.was_clamped) text += "; clamped";
    if (reading.is_broken) text += "; broken";
    if (reading.signal != venue::no_index) {
        text += "; signal " + model.signals[reading.signal].name;
    }
    return text;
}

}  // namespace

Profile profile_of(std::string_view name) {
    const auto path = std::string(std::getenv("RATECOORD_SOURCE_DIR")) + "/profiles/" +
                      std::string(name) + ".toml";
    auto profile = Profile::load(path);
    if (!profile) throw std::runtime_error(profile.error().message);
    return *std::move(profile);
}

std::string meaning_of(const Profile& profile, const Payload& payload) {
    std::vector<Header> headers;
    for (const auto& [name, value] : payload.headers) headers.push_back({name, value});
    const Reply reply{.status = payload.status, .headers = headers, .body = payload.body};
    const auto& model = profile.model();
    const auto operation =
        payload.operation.empty() ? venue::no_index : model.find_operation(payload.operation);
    if (!payload.operation.empty() && operation == venue::no_index) {
        return "no operation " + payload.operation;
    }
    const auto utc = std::chrono::nanoseconds(payload_epoch + payload.received);
    const auto reading = venue::read(
        model, reply, operation, {.now = BootTime(std::chrono::hours(5)), .utc_ns = utc.count()});
    return text_of(model, reading);
}

void check(const Profile& profile, std::initializer_list<Payload> payloads) {
    for (const auto& payload : payloads) {
        INFO(profile.name() << " " << payload.block << ": " << payload.body);
        CHECK(meaning_of(profile, payload) == payload.expected);
    }
}

std::string cost_of(const Profile& profile, std::string_view operation,
                    std::initializer_list<Argument> arguments) {
    const auto costs = profile.cost(operation, arguments);
    if (!costs) return costs.error().message;
    std::string text;
    for (const auto& cost : *costs) {
        text +=
            (text.empty() ? "" : ", ") + std::string(cost.limit) + " " + std::to_string(cost.units);
    }
    return text;
}

}  // namespace ratecoord::testing
