// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <new>
#include <string_view>
#include <thread>

#include "segment/clock.hpp"
#include "segment/futex.hpp"
#include "stage.hpp"

extern char** environ;

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* worker_flag = "--worker";
constexpr auto patience = 60s;

std::uint32_t* word_of(std::atomic<std::uint32_t>& word) {
    return reinterpret_cast<std::uint32_t*>(&word);
}

Arena* map_arena(int memory) {
    void* page = ::mmap(nullptr, sizeof(Arena), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (page == MAP_FAILED) give_up("no memory to share with workers");
    return static_cast<Arena*>(page);
}

pid_t start(const std::string& role, const std::string& argument, int memory, std::size_t index) {
    std::string words[] = {
        "bench", worker_flag, role, argument, std::to_string(memory), std::to_string(index)};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) != 0) {
        give_up("a worker could not be started");
    }
    return pid;
}

}  // namespace

bool Worker::is_one(int argc, char** argv, Worker& worker) {
    if (argc != 6 || std::string_view(argv[1]) != worker_flag) return false;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    worker.role = argv[2];
    worker.argument = argv[3];
    worker.arena = map_arena(std::stoi(argv[4]));
    worker.index = std::stoul(argv[5]);
    return true;
}

void Worker::wait_for_begin() const {
    arena->ready.fetch_add(1);
    while (arena->begun.load(std::memory_order_acquire) == 0 && !stopped()) {
        const auto now = ratecoord::segment::monotonic_now();
        ratecoord::segment::futex_wait(word_of(arena->begun), 0, now + 1'000'000'000);
    }
}

Crew::Crew(std::string role, std::string argument, std::size_t processes) {
    memory_ = ::memfd_create("crew", 0);
    if (memory_ < 0 || ::ftruncate(memory_, sizeof(Arena)) != 0) give_up("no memory for workers");
    arena_ = new (map_arena(memory_)) Arena;
    for (std::size_t i = 0; i < processes; ++i) {
        pids_.push_back(start(role, argument, memory_, i));
    }
}

Crew::~Crew() {
    stop();
    const auto until = std::chrono::steady_clock::now() + 10s;
    for (const pid_t pid : pids_) {
        while (::waitpid(pid, nullptr, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > until) ::kill(pid, SIGKILL);
            std::this_thread::sleep_for(1ms);
        }
    }
    ::munmap(arena_, sizeof(Arena));
    ::close(memory_);
}

template <class Done>
void Crew::wait_for(Done&& done, const char* what) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!done()) {
        if (std::chrono::steady_clock::now() > until) give_up(what);
        std::this_thread::sleep_for(1ms);
    }
}

void Crew::begin(std::size_t parties) {
    wait_for([&] { return arena_->ready.load() >= parties; }, "workers do not get ready");
    arena_->begun.store(1, std::memory_order_release);
    ratecoord::segment::futex_wake(word_of(arena_->begun), INT_MAX);
}

void Crew::wait_until_finished(std::size_t parties) {
    wait_for([&] { return arena_->finished.load() >= parties; }, "workers do not finish");
}

}  // namespace bench
