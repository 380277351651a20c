// SPDX-License-Identifier: Apache-2.0
#include "demo/arrivals.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace demo {

namespace {

using nlohmann::json;

template <typename Value>
Value value_or(const json& line, const char* name, Value otherwise) {
    const json& value = line.at(name);
    return value.is_null() ? otherwise : value.get<Value>();
}

template <typename Take>
void each_line(const std::string& path, Take take) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        try {
            take(json::parse(line));
        } catch (const json::exception& error) {
            throw std::runtime_error(path + ", line " + std::to_string(number) + ": " +
                                     error.what());
        }
    }
}

Sent sent_of(const json& line) {
    Sent sent;
    sent.worker = line.at("worker");
    sent.permit = line.at("permit");
    sent.kind = line.at("cost").dump() + line.at("keys").dump();
    sent.asked_ns = line.at("asked_ns");
    sent.at_ns = value_or(line, "at_ns", std::int64_t{0});
    sent.deciding_ns = line.at("deciding_ns");
    sent.granted_ns = line.at("granted_ns");
    sent.sent_ns = line.at("sent_ns");
    sent.replied_ns = line.at("replied_ns");
    sent.status = line.at("status");
    sent.paused_ns = value_or(line, "paused_ns", std::int64_t{0});
    sent.pause_until_ns = value_or(line, "pause_until_ns", std::int64_t{0});
    return sent;
}

}  // namespace

std::uint64_t Arrival::units(const std::string& limit) const {
    const auto charge = charges.find(limit);
    return charge == charges.end() ? 0 : charge->second;
}

std::vector<Arrival> read_arrivals(const std::string& path) {
    std::vector<Arrival> arrivals;
    each_line(path, [&](const json& line) {
        Arrival arrival;
        arrival.utc_ns = line.at("t_ns");
        arrival.boot_ns = line.at("boot_ns");
        arrival.status = line.at("status");
        arrival.label = value_or(line, "label", std::string());
        arrival.account = value_or(line, "account", std::string());
        arrival.charges = line.at("charges").get<std::map<std::string, std::uint64_t>>();
        arrival.until_utc_ns = value_or(line, "until_ns", std::int64_t{0});
        arrivals.push_back(std::move(arrival));
    });
    return arrivals;
}

HerdLog read_herd_log(const std::string& path) {
    HerdLog log;
    each_line(path, [&](const json& line) {
        const std::string event = line.at("event");
        if (event == "call") log.sent.push_back(sent_of(line));
        if (event != "moved") return;
        log.told.push_back({line.at("worker"), line.at("thread"), line.at("from_ns"),
                            line.at("to_ns"), line.at("told_ns")});
    });
    return log;
}

}  // namespace demo
