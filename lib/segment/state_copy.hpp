// SPDX-License-Identifier: Apache-2.0
//
// Memory of this process for one state of a given capacity.
//
// PROMISE  Allocates once, when made. The sections stand at the offsets they have in a segment.
// SHARING  One thread at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "segment/layout.hpp"

namespace ratecoord::segment {

class StateCopy {
  public:
    StateCopy() = default;
    explicit StateCopy(const core::Capacity& capacity)
        : offsets_(StateOffsets::of(capacity)),
          bytes_(static_cast<std::byte*>(
              ::operator new (offsets_.bytes, std::align_val_t{line_bytes}))) {
        std::memset(bytes_.get(), 0, offsets_.bytes);
        state_.head = reinterpret_cast<core::StateHead*>(bytes_.get());
        state_.cell_storage = {reinterpret_cast<core::Cell*>(bytes_.get() + offsets_.cells),
                               capacity.cells()};
        state_.key_storage = {reinterpret_cast<core::Key*>(bytes_.get() + offsets_.keys),
                              capacity.keys};
        state_.entry_storage = {reinterpret_cast<core::Entry*>(bytes_.get() + offsets_.entries),
                                capacity.reservations};
    }

    core::State& state() noexcept { return state_; }
    const core::State& state() const noexcept { return state_; }
    /// The version that was read; 0 before the first.
    std::uint64_t version() const noexcept { return version_; }
    void set_version(std::uint64_t version) noexcept { version_ = version; }

    /// Whether the counts in the head lie within the spans. Nothing else may be looked at before.
    bool counts_fit() const noexcept {
        const auto& head = *state_.head;
        return head.cells_in_use <= state_.cell_storage.size() &&
               head.keys_in_use <= state_.key_storage.size() &&
               head.entries_in_use <= state_.entry_storage.size();
    }

  private:
    struct Free {
        void operator()(std::byte* bytes) const noexcept {
            ::operator delete (bytes, std::align_val_t{line_bytes});
        }
    };

    StateOffsets offsets_;
    std::unique_ptr<std::byte[], Free> bytes_;
    core::State state_;
    std::uint64_t version_ = 0;
};

}  // namespace ratecoord::segment
