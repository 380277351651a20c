// SPDX-License-Identifier: Apache-2.0
//
// Our own descriptor in the shape that boost::interprocess::mapped_region asks for. (Its
// file_mapping follows symbolic links and lacks close-on-exec; its shared_memory_object knows
// /dev/shm only.)
#pragma once

#include <boost/interprocess/detail/os_file_functions.hpp>

namespace ratecoord::segment {

class FileHandle {
  public:
    explicit FileHandle(int fd) noexcept : fd_(fd) {}
    boost::interprocess::mapping_handle_t get_mapping_handle() const noexcept {
        return boost::interprocess::ipcdetail::mapping_handle_from_file_handle(fd_);
    }

  private:
    int fd_;
};

}  // namespace ratecoord::segment
