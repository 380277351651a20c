// SPDX-License-Identifier: Apache-2.0
#include "ratectl/budget_access.hpp"

#include <fmt/format.h>

#include "ratectl/held_files.hpp"
#include "ratectl/quantity.hpp"

namespace ratectl {

namespace {

using ratecoord::ErrorCode;

std::string next_command(ErrorCode code, std::string_view name) {
    switch (code) {
        case ErrorCode::no_such_budget:
        case ErrorCode::detached:
            return "see 'ratectl list'; RATECOORD_DIR says where budgets are looked for";
        case ErrorCode::unknown_name:
            return fmt::format("see 'ratectl show {}' for its limits", printable(name));
        case ErrorCode::permission_denied:
            return "run it as the owner or a member of the group; see 'ratectl doctor'";
        case ErrorCode::version_mismatch:
        case ErrorCode::segment_corrupt:
            return fmt::format(
                "'ratectl destroy {} --unusable', then create it again; saved stops are kept",
                printable(name));
        case ErrorCode::segment_full:
            return "'ratectl clients' shows who holds the slots";
        case ErrorCode::out_of_space:
        case ErrorCode::system:
            return "see 'ratectl doctor'";
        case ErrorCode::invalid_argument:
            return "see 'ratectl help limits', 'help costs' or 'help environment'";
        default:
            return "";
    }
}

}  // namespace

Failure budget_failure(const std::string& what, std::string_view name,
                       const ratecoord::Error& error) {
    Failure failure = failure_of(what, error);
    if (error.code == ErrorCode::no_such_budget) {
        const auto holders = holders_of_removed_files(name);
        if (!holders.empty()) {
            failure.hint = fmt::format("{} still {} its removed file; see 'ratectl doctor'",
                                       format_counted(holders.size(), "process", "processes"),
                                       holders.size() == 1 ? "holds" : "hold");
        }
    }
    if (failure.hint.empty()) failure.hint = next_command(error.code, name);
    return failure;
}

namespace {

Outcome<ratecoord::Budget> attach(const std::string& what, std::string_view name,
                                  const ratecoord::OpenOptions& options) {
    auto budget = ratecoord::Budget::attach(name, options);
    if (!budget) return tl::unexpected(budget_failure(what, name, budget.error()));
    return *std::move(budget);
}

}  // namespace

Outcome<ratecoord::Budget> attach_budget(const std::string& what, std::string_view name) {
    return attach(what, name, {.label = "ratectl", .for_control = true});
}

Outcome<ratecoord::Budget> attach_client(const std::string& what, std::string_view name,
                                         const std::string& label) {
    return attach(what, name, {.label = label});
}

Outcome<ratecoord::Snapshot> look_at(const std::string& what, std::string_view name) {
    auto snapshot = ratecoord::read_snapshot(name);
    if (!snapshot) return tl::unexpected(budget_failure(what, name, snapshot.error()));
    return *std::move(snapshot);
}

std::int64_t pause_end(const ratecoord::Snapshot& snapshot, ratecoord::PauseKind kind) {
    const auto until = snapshot.pause_until[static_cast<std::size_t>(kind)];
    return until > snapshot.now ? until : 0;
}

bool replies_come_late(const ratecoord::ClientSnapshot& client) noexcept {
    constexpr std::uint64_t enough = 100;
    return client.replies >= enough && client.late_replies * 100 > client.replies;
}

std::string_view name_of(ratecoord::PauseKind kind) noexcept {
    switch (kind) {
        case ratecoord::PauseKind::cooldown:
            return "cooldown";
        case ratecoord::PauseKind::ban:
            return "ban";
        case ratecoord::PauseKind::manual:
            return "manual";
    }
    return "unknown";
}

}  // namespace ratectl
