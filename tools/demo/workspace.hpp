// SPDX-License-Identifier: Apache-2.0
//
// Where one scene keeps its logs and its budget: directories of its own, gone with it. And where
// the programs are that it plays with.
#pragma once

#include <string>

namespace demo {

class Workspace {
  public:
    // `keep` is a directory for the logs, or empty. `programs` is where herd and mock-venue are.
    // Throws std::system_error.
    Workspace(const std::string& scene, const std::string& keep, const std::string& programs);
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    std::string file(const std::string& name) const { return logs_ + '/' + name; }
    std::string program(const std::string& name) const { return programs_ + '/' + name; }
    // For RATECOORD_DIR: in memory, where the host has such a place.
    const std::string& budget_directory() const { return budget_; }

  private:
    std::string logs_;
    std::string budget_;
    std::string programs_;
    bool keeps_ = false;
};

}  // namespace demo
