// SPDX-License-Identifier: Apache-2.0
//
// A segment that another boot left behind: its instants mean nothing here, its stops do.
//
// PROMISE  R1  While a Relic is held nobody is attached to it, nobody can attach, and no other
//              process holds it: every byte of the file is locked, the slots' bytes too.
//          R2  remove() takes the name away only while it means this very file.
//          R3  What may be alive is no relic: another boot id over the same kernel (some container
//              runtimes invent one) shows by its slots' locks; another host shows by the file
//              system, whose locks need not reach it.
// ERRORS   version_mismatch where somebody is attached or the file system reaches other hosts;
//          busy where another process holds it for too long; else those of attaching.
// SHARING  One thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "segment/view.hpp"

namespace ratecoord::segment {

class Relic {
  public:
    /// nullopt where the name means no segment of another boot, or not any more: attach again.
    static Result<std::optional<Relic>> claim(const Place& place,
                                              std::chrono::milliseconds patience);

    const View& view() const noexcept { return view_; }
    Result<void> remove() { return remove_name(*mapping_); }

  private:
    explicit Relic(std::unique_ptr<Mapping> mapping) noexcept
        : mapping_(std::move(mapping)), view_(*mapping_) {}

    std::unique_ptr<Mapping> mapping_;
    View view_;
};

}  // namespace ratecoord::segment
