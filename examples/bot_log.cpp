// SPDX-License-Identifier: Apache-2.0
#include "bot_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bot {
namespace {

using Json = nlohmann::ordered_json;
using namespace ratecoord;

std::int64_t ns(BootTime t) {
    return t.time_since_epoch().count();
}

Json event(std::string_view name) {
    return {{"event", name}, {"at_ns", ns(BootClock::now())}};
}

const char* name_of(Transport transport) {
    switch (transport) {
        case Transport::replied:
            return "replied";
        case Transport::not_sent:
            return "not_sent";
        case Transport::maybe_sent:
            break;
    }
    return "maybe_sent";
}

std::string to_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Log::Log(const std::string& file) {
    if (file.empty()) return;
    file_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) {
        throw std::runtime_error("cannot open '" + file + "': " + std::strerror(errno));
    }
}

Log::~Log() {
    if (file_ != 1) ::close(file_);
}

void Log::write(const std::string& line) {
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        throw std::runtime_error(std::string("cannot write the log: ") + std::strerror(errno));
    }
}

void Log::permit(std::string_view operation, const Permit& permit) {
    Json json = event("permit");
    json["operation"] = operation;
    json["permit"] = permit.id();
    json["valid_until_ns"] = ns(permit.valid_until());
    write(to_line(json));
}

void Log::send(std::string_view method, std::string_view target) {
    Json json = event("send");
    json["method"] = method;
    json["target"] = target;
    write(to_line(json));
}

void Log::reply(const Reply& reply) {
    Json json = event("reply");
    json["status"] = reply.status;
    json["transport"] = name_of(reply.transport);
    json["whole"] = reply.is_whole;
    write(to_line(json));
}

void Log::call(std::string_view operation, const CallResult& result) {
    Json json = event("call");
    json["operation"] = operation;
    json["state"] = ratecoord::name_of(result.state);
    json["sends"] = result.sends;
    json["action"] = ratecoord::name_of(result.advice.action);
    json["signal"] = result.advice.signal;
    json["reason"] = result.reason;
    write(to_line(json));
}

void Log::order(const OrderResult& result, bool is_recovered) {
    Json json = event("order");
    json["client_id"] = result.client_id;
    json["state"] = ratecoord::name_of(result.state);
    json["sends"] = result.sends;
    json["lookups"] = result.lookups;
    json["by_lookup"] = result.is_by_lookup;
    json["recovered"] = is_recovered;
    json["halted"] = result.halted;
    json["reason"] = result.reason;
    write(to_line(json));
}

void Log::note(std::string_view text) {
    Json json = event("note");
    json["text"] = text;
    write(to_line(json));
}

}  // namespace bot
