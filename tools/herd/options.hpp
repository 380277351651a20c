// SPDX-License-Identifier: Apache-2.0
//
// The command line of herd.
//
// PROMISE  What cannot be used is refused here, before any process starts: UsageError names the
//          option, quotes the text and says why.
// UNITS    Nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ratecoord/limit.hpp>

#include "herd/backoff.hpp"
#include "herd/mix.hpp"
#include "herd/private_bucket.hpp"

namespace herd {

struct BudgetRule {
    std::string name;                                // empty: no budget
    std::vector<ratecoord::LimitDefinition> limits;  // empty: it must exist
    std::uint32_t clients = 0;                       // 0: enough for the workers, 128 at least
    std::uint32_t reservations = 0;                  // 0: enough for the threads, 512 at least
    bool full = false;
    bool log_moves = false;
    std::string profile;  // file; the budget reads replies by it; empty: the herd reads the status
};

// Today's loop, without a budget.
struct PrivateRule {
    bool retries = true;
    BackoffRule backoff;
    bool obeys_retry_after = false;
    std::optional<PrivateBucketRule> bucket;
};

struct Options {
    std::string venue;
    unsigned workers = 1;
    unsigned threads = 1;
    std::uint64_t calls = 1;       // of each thread; 0: as many as fit the duration
    std::int64_t duration_ns = 0;  // 0: until the calls are done
    std::int64_t start_window_ns = 0;
    std::int64_t timeout_ns = 60'000'000'000;
    std::int64_t reply_timeout_ns = 10'000'000'000;
    std::int64_t run_for_ns = 600'000'000'000;
    BudgetRule budget;
    PrivateRule private_loop;
    std::vector<RequestKind> kinds;
    bool one_kind_per_worker = false;
    std::vector<KeyRing> keys;
    std::string label_header;
    std::string cost_header;
    std::string key_header;
    bool cost_in_query = false;
    std::uint64_t seed = 1;
    std::string log_file;
    bool json = false;

    bool has_budget() const { return !budget.name.empty(); }
};

// The command line cannot be used. what() is the message without the program's name.
class UsageError : public std::runtime_error {
  public:
    UsageError(const std::string& message, std::string hint)
        : std::runtime_error(message), hint_(std::move(hint)) {}

    const std::string& hint() const { return hint_; }

  private:
    std::string hint_;
};

// The text that --help asked for; to be printed, and nothing else done.
struct HelpText {
    std::string text;
};

// Throws UsageError or, for --help, HelpText.
Options read_options(int argc, const char* const* argv);

}  // namespace herd
