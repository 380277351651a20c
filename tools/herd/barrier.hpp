// SPDX-License-Identifier: Apache-2.0
//
// How the parent and its workers set off together.
//
//     parent   fork all   open()            all_ready?   start(instant)          ~Barrier
//     worker   wait_for_open()   ... ready()      wait_for_start()   run, until stop_fd ends
//
// Four pipes, no shared memory: a worker that dies at any point blocks nobody, because the parent
// counts what it reads and hears of deaths apart.
//
// SHARING  Made before the first fork; each side then says which it is.
#pragma once

#include <cstdint>
#include <optional>

namespace herd {

class Pipe {
  public:
    // Throws std::system_error.
    Pipe();
    ~Pipe();
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_read_end();
    void close_write_end();

  private:
    int ends_[2] = {-1, -1};
};

class Barrier {
  public:
    void be_parent();
    void be_worker();

    // Parent. Each message is eight bytes for one worker; pipes keep them whole.
    bool tell_to_open(unsigned workers);
    bool tell_to_start(unsigned workers, std::int64_t start_ns);
    int ready_fd() const { return ready_.read_end(); }
    // How many workers have reported since the last call; nothing once all of them are gone.
    std::optional<unsigned> count_ready();
    // Ends every wait of the workers.
    void stop() { stop_.close_write_end(); }

    // Worker. False, or nothing, if the parent is gone or has given up.
    bool wait_for_open();
    bool tell_ready();
    std::optional<std::int64_t> wait_for_start();
    int stop_fd() const { return stop_.read_end(); }

  private:
    Pipe open_;
    Pipe ready_;
    Pipe start_;
    Pipe stop_;
};

}  // namespace herd
