// SPDX-License-Identifier: Apache-2.0
//
// This program, started again as many worker processes that begin at the same moment.
//
// PROMISE  Workers end with their Crew, and with their parent however it ends. Every wait is
//          bounded.
// SHARING  The arena is memory of all of them; a place in it is written by one worker's thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Arena {
    static constexpr std::size_t places_max = 1024;

    struct alignas(64) Place {
        std::atomic<std::uint64_t> count{0};
        std::atomic<std::int64_t> at{0};
    };
    alignas(64) std::atomic<std::uint32_t> ready{0};
    alignas(64) std::atomic<std::uint32_t> begun{0};
    std::atomic<bool> stopped{false};
    alignas(64) std::atomic<std::uint32_t> finished{0};
    alignas(64) std::atomic<std::int64_t> expected{0};  ///< what the parent waits to see
    std::array<Place, places_max> places;
};

/// The worker's side.
struct Worker {
    std::string role;
    std::string argument;
    std::size_t index = 0;
    Arena* arena = nullptr;

    /// Whether this process was started by a Crew; then the fields are set.
    static bool is_one(int argc, char** argv, Worker& worker);

    /// Says `threads` times that one is ready, if each calls it, and waits for the others.
    void wait_for_begin() const;
    bool stopped() const { return arena->stopped.load(std::memory_order_relaxed); }
    void finish() const { arena->finished.fetch_add(1); }
};

class Crew {
  public:
    Crew(std::string role, std::string argument, std::size_t processes);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    Arena& arena() { return *arena_; }
    /// Once `parties` are ready, lets them go.
    void begin(std::size_t parties);
    void stop() { arena_->stopped.store(true); }
    void wait_until_finished(std::size_t parties);

  private:
    template <class Done>
    void wait_for(Done&& done, const char* what);

    int memory_ = -1;
    Arena* arena_ = nullptr;
    std::vector<pid_t> pids_;
};

}  // namespace bench
