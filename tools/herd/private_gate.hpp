// SPDX-License-Identifier: Apache-2.0
//
// Today's way: every process on its own, with a private token bucket or none, and a backoff of its
// own after each refusal.
#pragma once

#include <mutex>
#include <vector>

#include "herd/gate.hpp"
#include "herd/options.hpp"

namespace herd {

// The bucket that the threads of one process share.
class ProcessBucket {
  public:
    ProcessBucket(const PrivateBucketRule& rule, std::int64_t now_ns) : bucket_(rule, now_ns) {}

    std::int64_t take(std::uint64_t units, std::int64_t now_ns) {
        const std::lock_guard lock(mutex_);
        return bucket_.take(units, now_ns);
    }

  private:
    std::mutex mutex_;
    PrivateBucket bucket_;
};

class PrivateGate final : public Gate {
  public:
    // `bucket` may be null: nothing is held back before the first refusal.
    PrivateGate(const Options& options, ProcessBucket* bucket, std::uint64_t seed, int stop_fd);

    Admission ask(std::size_t kind, std::int64_t deadline_ns) override;
    PauseSet settle(const Reply&, Verdict) override { return {}; }
    std::optional<std::int64_t> retry_at_ns(const Reply& reply, Verdict verdict) override;
    void restart() override { backoff_.restart(); }

  private:
    const PrivateRule& rule_;
    std::vector<std::uint64_t> units_;  // of each kind: those of its first limit
    ProcessBucket* bucket_;
    Backoff backoff_;
    int stop_fd_;
};

}  // namespace herd
