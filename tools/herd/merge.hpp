// SPDX-License-Identifier: Apache-2.0
//
// The workers' logs put together: one file in order of time, and its summary.
//
// While the herd runs every worker writes a file of its own beside the wanted one (or in a private
// temporary directory if none is wanted); they are removed once merged.
#pragma once

#include <string>

#include "herd/summary.hpp"

namespace herd {

class WorkerLogs {
  public:
    // An empty path keeps nothing. Throws std::system_error where there is no place for the files.
    explicit WorkerLogs(const std::string& log_file);
    ~WorkerLogs();
    WorkerLogs(const WorkerLogs&) = delete;
    WorkerLogs& operator=(const WorkerLogs&) = delete;

    std::string path_of(unsigned worker) const;

    // Throws std::system_error where the merged file cannot be written; the workers' files then
    // stay.
    Summary merge(unsigned workers, unsigned threads, std::int64_t started_ns);

  private:
    std::string log_file_;
    std::string temporary_;  // directory; empty if a log is wanted
};

}  // namespace herd
