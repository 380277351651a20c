// SPDX-License-Identifier: Apache-2.0
#include "demo/workspace.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace demo {

namespace {

namespace fs = std::filesystem;

std::string make_private(const fs::path& parent) {
    std::string path = (parent / "ratecoord-demo-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), path);
    }
    return path;
}

fs::path memory_directory() {
    return ::access("/dev/shm", W_OK | X_OK) == 0 ? fs::path("/dev/shm")
                                                  : fs::temp_directory_path();
}

}  // namespace

Workspace::Workspace(const std::string& scene, const std::string& keep, const std::string& programs)
    : programs_(programs), keeps_(!keep.empty()) {
    budget_ = make_private(memory_directory());
    if (keeps_) {
        logs_ = (fs::path(keep) / scene).string();
        fs::create_directories(logs_);
    } else {
        logs_ = make_private(fs::temp_directory_path());
    }
}

Workspace::~Workspace() {
    std::error_code ignored;
    fs::remove_all(budget_, ignored);
    if (!keeps_) fs::remove_all(logs_, ignored);
}

}  // namespace demo
