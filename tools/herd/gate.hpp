// SPDX-License-Identifier: Apache-2.0
//
// Whom a caller asks before it sends, and tells what came of it: the shared budget, or its own
// private loop.
//
// SHARING  A gate belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "herd/reply.hpp"
#include "herd/venue_client.hpp"

namespace herd {

struct Admission {
    enum class Kind : std::uint8_t {
        granted,
        refused,  // come back at `come_back_ns`, if the call may still wait
        stopped,  // the herd ends
        broken,   // nothing will be granted any more: `text` says why
    };
    Kind kind = Kind::granted;
    std::uint64_t permit = 0;
    std::int64_t at_ns = 0;        // 0: no budget, no instant
    std::int64_t deciding_ns = 0;  // when the call that decided began; 0: as it was asked
    std::int64_t granted_ns = 0;
    std::int64_t come_back_ns = 0;
    std::string text;  // the refusal's name, or the error
};

// The pause that a reply made the gate set; 0 for none.
struct PauseSet {
    std::int64_t in_force_ns = 0;
    std::int64_t until_ns = 0;
};

class Gate {
  public:
    virtual ~Gate() = default;

    // Waits for leave to send a request of `kind`, at most until `deadline_ns`.
    virtual Admission ask(std::size_t kind, std::int64_t deadline_ns) = 0;

    // The reply to what was last granted.
    virtual PauseSet settle(const Reply& reply, Verdict verdict) = 0;

    // When the same call may be tried again after `verdict`; nothing: never.
    virtual std::optional<std::int64_t> retry_at_ns(const Reply& reply, Verdict verdict) = 0;

    // A new call begins.
    virtual void restart() {}
};

}  // namespace herd
