// SPDX-License-Identifier: Apache-2.0
//
// Makes a segment look as if another boot had left it behind.
//
// NEEDS    A sound segment file of this format.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include "segment/layout.hpp"

namespace ratecoord::testing {

/// Changes the header of the segment at `path`; its checksum holds again afterwards.
template <class Change>
void change_header(const std::string& path, Change&& change) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    segment::Header header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    change(header);
    segment::seal(header);
    file.seekp(0);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.flush();
    if (!file) throw std::runtime_error("cannot change the header of " + path);
}

inline void leave_to_another_boot(const std::string& path) {
    change_header(path, [](segment::Header& header) { header.boot_id[5] ^= 0x40; });
}

}  // namespace ratecoord::testing
