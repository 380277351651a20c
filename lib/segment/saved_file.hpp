// SPDX-License-Identifier: Apache-2.0
//
// A small file that outlives the segment: what it held before, or what it holds now, never a part.
//
// PROMISE  F1  replace() is write, fsync, rename, fsync of the directory: after it returns the
//              content survives a crash of the host; before, the old one does.
//          F2  Writers exclude each other by a lock on NAME.lock, which is never renamed or
//              removed; the lock goes with its holder.
//          F3  Missing directories are made, for their owner alone (or owner and group).
// ERRORS   busy where the lock is not had in time; permission_denied, out_of_space, system.
// SHARING  Any number of processes; one object belongs to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <ratecoord/result.hpp>

#include "segment/mapping.hpp"

namespace ratecoord::segment {

inline constexpr std::size_t saved_bytes_max = 1 << 20;
/// Behind the name of a file that was set aside.
inline constexpr std::string_view set_aside_ending = ".bad";

class SavedFile {
  public:
    /// Locks the file `name` of `directory` for writing; tries for at most `patience`.
    static Result<SavedFile> lock(const std::string& directory, const std::string& name,
                                  std::chrono::milliseconds patience);

    /// nullopt where there is none yet.
    Result<std::optional<std::string>> read() const;
    Result<void> replace(std::string_view content);
    /// Keeps a file that cannot be understood under NAME.bad, NAME.bad-2 and so on, out of the way.
    Result<void> set_aside();

    const std::string& path() const noexcept { return path_; }

  private:
    SavedFile(FileDescriptor lock, std::string directory, std::string path) noexcept
        : lock_(std::move(lock)), directory_(std::move(directory)), path_(std::move(path)) {}

    FileDescriptor lock_;
    std::string directory_;
    std::string path_;
};

/// Reads without the lock; nullopt where there is none.
Result<std::optional<std::string>> read_saved(const std::string& directory,
                                              const std::string& name);

}  // namespace ratecoord::segment
