// SPDX-License-Identifier: Apache-2.0
#include "herd/call_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

namespace herd {

namespace {

using Line = fmt::basic_memory_buffer<char, 768>;

// Numbers and names that need no escaping are printed straight: a JSON library would cost as much
// as the request itself.
void open_line(Line& line, std::string_view event, const Place& place) {
    fmt::format_to(std::back_inserter(line), R"({{"event":"{}","worker":{},"pid":{},"thread":{})",
                   event, place.worker, ::getpid(), place.thread);
}

void add_number_or_null(Line& line, std::string_view name, std::int64_t value) {
    if (value == 0) {
        fmt::format_to(std::back_inserter(line), R"(,"{}":null)", name);
    } else {
        fmt::format_to(std::back_inserter(line), R"(,"{}":{})", name, value);
    }
}

std::string_view close_line(Line& line) {
    line.push_back('}');
    line.push_back('\n');
    return {line.data(), line.size()};
}

std::string quoted(std::string_view text) {
    return nlohmann::json(std::string(text))
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

CallLog::CallLog(const std::string& path)
    : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category());
}

CallLog::~CallLog() {
    ::close(fd_);
}

void CallLog::write_line(std::string_view line) {
    while (::write(fd_, line.data(), line.size()) != static_cast<::ssize_t>(line.size())) {
        if (errno == EINTR) continue;
        complete_ = false;
        return;
    }
}

void CallLog::call(const CallRecord& record) {
    Line line;
    open_line(line, "call", record.place);
    fmt::format_to(std::back_inserter(line), R"(,"task":{},"attempt":{},"permit":{},"asked_ns":{})",
                   record.task, record.attempt, record.permit, record.asked_ns);
    add_number_or_null(line, "at_ns", record.at_ns);
    fmt::format_to(
        std::back_inserter(line),
        R"(,"deciding_ns":{},"granted_ns":{},"sent_ns":{},"replied_ns":{},"status":{},"wait_ns":{})",
        record.deciding_ns, record.granted_ns, record.sent_ns, record.replied_ns, record.status,
        record.granted_ns - record.asked_ns);
    fmt::format_to(std::back_inserter(line), R"(,"cost":{},"keys":{})", record.cost_json,
                   record.keys_json);
    add_number_or_null(line, "paused_ns", record.paused_ns);
    add_number_or_null(line, "pause_until_ns", record.pause_until_ns);
    write_line(close_line(line));
}

void CallLog::refused(const CallRecord& record, std::string_view refusal) {
    Line line;
    open_line(line, "refused", record.place);
    fmt::format_to(std::back_inserter(line),
                   R"(,"task":{},"attempt":{},"asked_ns":{},"refusal":"{}","cost":{})", record.task,
                   record.attempt, record.asked_ns, refusal, record.cost_json);
    write_line(close_line(line));
}

void CallLog::moved(const Move& move) {
    Line line;
    open_line(line, "moved", move.place);
    fmt::format_to(std::back_inserter(line), R"(,"permit":{},"from_ns":{},"to_ns":{},"told_ns":{})",
                   move.id, move.from_ns, move.to_ns, move.told_ns);
    write_line(close_line(line));
}

void CallLog::gave_up(const CallRecord& record, std::string_view reason) {
    Line line;
    open_line(line, "gave_up", record.place);
    fmt::format_to(std::back_inserter(line),
                   R"(,"task":{},"attempt":{},"asked_ns":{},"reason":"{}")", record.task,
                   record.attempt, record.asked_ns, reason);
    write_line(close_line(line));
}

void CallLog::error(const Place& place, std::string_view message) {
    Line line;
    open_line(line, "error", place);
    fmt::format_to(std::back_inserter(line), R"(,"message":{})", quoted(message));
    write_line(close_line(line));
}

}  // namespace herd
