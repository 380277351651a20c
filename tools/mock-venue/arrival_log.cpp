// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/arrival_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

namespace mock_venue {

namespace {

using nlohmann::ordered_json;

ordered_json units_object(const std::vector<std::pair<std::string_view, std::uint64_t>>& units) {
    ordered_json object = ordered_json::object();
    for (const auto& [name, count] : units) object[std::string(name)] = count;
    return object;
}

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

}  // namespace

std::string to_json_line(const ArrivalRecord& record) {
    const ordered_json line{
        {"n", record.n},
        {"t_ns", epoch_ns(record.at)},
        {"boot_ns", record.boot_time.count()},
        {"method", record.method},
        {"path", record.path},
        {"status", record.status},
        {"accepted", record.accepted},
        {"charges", units_object(record.charges)},
        {"account", or_null(record.account)},
        {"label", or_null(record.label)},
        {"ip", record.address},
        {"refused_by", or_null(record.refused_by)},
        {"until_ns", record.until ? ordered_json(epoch_ns(*record.until)) : ordered_json(nullptr)},
        {"used", units_object(record.used)},
    };
    return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ArrivalLog::ArrivalLog(const std::string& path) {
    if (path.empty()) return;
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd_ < 0) throw std::system_error(errno, std::generic_category());
}

ArrivalLog::~ArrivalLog() {
    if (fd_ < 0) return;
    flush();
    ::close(fd_);
}

void ArrivalLog::add(const ArrivalRecord& record) {
    constexpr std::size_t large_enough = std::size_t{256} * 1024;
    if (fd_ < 0) return;
    pending_.append(to_json_line(record)).push_back('\n');
    if (pending_.size() >= large_enough) flush();
}

bool ArrivalLog::flush() {
    std::string_view rest = pending_;
    while (!rest.empty() && complete_) {
        const ::ssize_t written = ::write(fd_, rest.data(), rest.size());
        if (written > 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            complete_ = false;
        }
    }
    pending_.clear();
    return complete_;
}

}  // namespace mock_venue
