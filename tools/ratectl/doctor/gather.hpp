// SPDX-License-Identifier: Apache-2.0
//
// Gathers what the doctor wants to know. Judging is diagnosis.hpp's work.
//
// PROMISE  Looks only: files are listed and read, clocks are read, nothing is opened for writing.
// ERRORS   None: what cannot be found out is left at "not known".
#pragma once

#include <filesystem>

#include "ratectl/doctor/facts.hpp"

namespace ratectl {

HostFacts gather_host_facts();
BudgetFacts gather_budget_facts(ratecoord::Snapshot snapshot);
/// Adds the clients of `snapshot` that have a pid here.
void add_client_processes(const ratecoord::Snapshot& snapshot, HostFacts& facts);

DirectoryFacts look_at_directory(std::string path);
/// Does the logind of the host whose files stand under `root` remove what a user leaves in
/// /dev/shm? None where no systemd runs.
std::optional<bool> logind_removes_ipc(const std::filesystem::path& root);
bool user_lingers(const std::filesystem::path& root, std::uint32_t uid);
/// The last RemoveIPC= of logind's configuration texts, in the order they are read. Where there is
/// none, the default: what the first text shows in a comment, by systemd's custom; else yes.
bool read_remove_ipc(const std::vector<std::string>& texts);

}  // namespace ratectl
