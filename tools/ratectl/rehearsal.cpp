// SPDX-License-Identifier: Apache-2.0
#include "ratectl/rehearsal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace ratectl {

namespace {

namespace fs = std::filesystem;

// A directory of our own that budgets are looked for in, until the end of the scope.
class Stage {
  public:
    Stage() {
        std::error_code error;
        path_ = (fs::temp_directory_path(error) / "ratectl-rehearsal-XXXXXX").string();
        if (error || ::mkdtemp(path_.data()) == nullptr) {
            cause_ = error ? error.value() : errno;
            path_.clear();
            return;
        }
        if (const char* before = std::getenv("RATECOORD_DIR")) before_ = before;
        ::setenv("RATECOORD_DIR", path_.c_str(), 1);
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() {
        if (path_.empty()) return;
        if (before_) {
            ::setenv("RATECOORD_DIR", before_->c_str(), 1);
        } else {
            ::unsetenv("RATECOORD_DIR");
        }
        std::error_code error;
        fs::remove_all(path_, error);
    }

    int cause() const { return cause_; }

  private:
    std::string path_;
    std::optional<std::string> before_;
    int cause_ = 0;
};

}  // namespace

ratecoord::Result<ratecoord::Snapshot> rehearse_creation(
    const std::string& name, std::span<const ratecoord::LimitDefinition> definitions,
    const ratecoord::OpenOptions& options) {
    const Stage stage;
    if (stage.cause() != 0) {
        return ratecoord::fail(
            ratecoord::ErrorCode::system,
            std::string("no temporary directory can be made: ") + std::strerror(stage.cause()),
            "set TMPDIR to a directory that can be written", stage.cause());
    }
    const auto budget = ratecoord::Budget::create(name, definitions, options);
    if (!budget) return tl::unexpected(budget.error());
    return budget->snapshot();
}

}  // namespace ratectl
