// SPDX-License-Identifier: Apache-2.0
//
// Reading the published state: no lock, no write, so that an observer never slows anyone down.
//
// PROMISE  What read() calls `good` is one version, whole: root named it before and after the copy,
//          its checksum and version agree, its counts were within the capacity before a byte beyond
//          the head was read, and core::valid() holds.
//          Why that suffices: a word written for a later version was released after its writer
//          acquired a later root; whoever acquires the word therefore sees that root at its
//          re-check.
// ERRORS   `damaged` only if root did not move while it was read: then no writer is to blame.
// SHARING  Any number of readers beside any number of writers.
#pragma once

#include "segment/checksum.hpp"
#include "segment/layout.hpp"
#include "segment/state_copy.hpp"
#include "segment/words.hpp"

namespace ratecoord::segment {

/// root = {version:48, buffer:16}.
struct Root {
    static constexpr std::uint64_t version(std::uint64_t root) noexcept { return root >> 16; }
    static constexpr std::uint32_t buffer(std::uint64_t root) noexcept {
        return static_cast<std::uint32_t>(root & 0xffff);
    }
    static constexpr std::uint64_t of(std::uint64_t version, std::uint32_t buffer) noexcept {
        return version << 16 | buffer;
    }
};

enum class ReadEnd : std::uint8_t { good, moved, damaged };

template <class Steps = SystemSteps>
class PublishedState {
  public:
    PublishedState() = default;
    PublishedState(const std::byte* base, const Geometry& geometry) noexcept
        : base_(base), geometry_(geometry) {}

    std::uint64_t root() const noexcept {
        const auto root = load_acquire(root_word());
        Steps::at(Step::root_read);
        return root;
    }

    /// The state that `root` names, if it still does.
    ReadEnd read(std::uint64_t root, StateCopy& into) const noexcept {
        const auto end = copy(root, into);
        if (load_acquire(root_word()) != root) return ReadEnd::moved;
        if (!end || !core::valid(into.state())) return ReadEnd::damaged;
        into.set_version(Root::version(root));
        return ReadEnd::good;
    }

    /// The state as it is now. Where commits come faster than it can be copied, one whose checksum
    /// and version agree is taken although root has moved on. Bounded: false where even that fails.
    ReadEnd snapshot(StateCopy& into) const noexcept {
        constexpr int strict_tries = 64;
        constexpr int tries = 1024;
        for (int attempt = 0; attempt < tries; ++attempt) {
            const auto seen = root();
            if (attempt < strict_tries) {
                const auto end = read(seen, into);
                if (end != ReadEnd::moved) return end;
            } else if (copy(seen, into) && core::valid(into.state())) {
                into.set_version(Root::version(seen));
                return ReadEnd::good;
            } else {
                Steps::yield();
            }
        }
        return ReadEnd::damaged;
    }

    /// The epoch alone, for waiters. False where root moved or makes no sense.
    bool epoch(std::uint64_t& epoch) const noexcept {
        const auto seen = root();
        if (Root::buffer(seen) >= geometry_.buffers) return false;
        epoch = load_acquire(reinterpret_cast<const std::uint64_t*>(
            state_of(seen) + offsetof(core::StateHead, epoch)));
        return load_acquire(root_word()) == seen;
    }

  private:
    const std::uint64_t* root_word() const noexcept {
        return reinterpret_cast<const std::uint64_t*>(base_ + geometry_.control +
                                                      offsetof(Control, root));
    }

    const std::byte* state_of(std::uint64_t root) const noexcept {
        return base_ + geometry_.buffer(Root::buffer(root)) + sizeof(BufferHead);
    }

    /// Whether a whole state of that version was found. Looks at nothing outside the buffer.
    bool copy(std::uint64_t root, StateCopy& into) const noexcept {
        if (Root::buffer(root) >= geometry_.buffers) return false;
        const auto* from = state_of(root);
        const auto& offsets = geometry_.state;
        auto& state = into.state();
        load_words<Steps>(state.head, from, sizeof(core::StateHead));
        if (!into.counts_fit()) {
            state.head->cells_in_use = state.head->keys_in_use = state.head->entries_in_use = 0;
            return false;
        }
        load_words<Steps>(state.cell_storage.data(), from + offsets.cells,
                          state.cells().size_bytes());
        load_words<Steps>(state.key_storage.data(), from + offsets.keys, state.keys().size_bytes());
        load_words<Steps>(state.entry_storage.data(), from + offsets.entries,
                          state.entries().size_bytes());
        BufferHead buffer{};
        load_words<Steps>(&buffer, from - sizeof(BufferHead), sizeof(BufferHead));
        return buffer.version == Root::version(root) &&
               buffer.checksum == checksum(state, buffer.version);
    }

    const std::byte* base_ = nullptr;
    Geometry geometry_;
};

}  // namespace ratecoord::segment
