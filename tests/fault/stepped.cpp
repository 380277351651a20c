// SPDX-License-Identifier: Apache-2.0
#include "fault/stepped.hpp"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <cstddef>
#include <stdexcept>
#include <unordered_map>

namespace ratecoord::testing {
namespace {

#if defined(__x86_64__)
constexpr bool has_breakpoints = true;

bool set_breakpoint(pid_t pid, std::uint64_t instruction) {
    constexpr auto debug_registers = offsetof(struct user, u_debugreg);
    const auto write = [&](int which, std::uint64_t value) {
        return ::ptrace(PTRACE_POKEUSER, pid, debug_registers + which * sizeof(value), value) == 0;
    };
    // A breakpoint that is on cannot be moved.
    return write(7, 0) && (instruction == 0 || (write(0, instruction) && write(7, 1)));
}

std::uint64_t instruction_of(const user_regs_struct& registers) {
    return registers.rip;
}
#else
constexpr bool has_breakpoints = false;

bool set_breakpoint(pid_t, std::uint64_t) {
    return false;
}

std::uint64_t instruction_of(const user_regs_struct& registers) {
    return registers.pc;
}
#endif

}  // namespace

void Stepped::let_be_traced() {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
}

void Stepped::mark() {
    ::raise(SIGSTOP);
}

/// SIGSTOP at a mark, SIGTRAP after a step or at a breakpoint; -1 where it is gone.
int Stepped::next_stop() {
    int status = 0;
    if (::waitpid(child_.pid(), &status, 0) != child_.pid() || !WIFSTOPPED(status)) return -1;
    return WSTOPSIG(status);
}

bool Stepped::stops_at_mark() {
    return next_stop() == SIGSTOP;
}

std::uint64_t Stepped::instruction() const {
    user_regs_struct registers{};
    iovec into{&registers, sizeof registers};
    if (::ptrace(PTRACE_GETREGSET, child_.pid(), NT_PRSTATUS, &into) != 0) return 0;
    return instruction_of(registers);
}

bool Stepped::step() {
    ::ptrace(PTRACE_SINGLESTEP, child_.pid(), nullptr, nullptr);
    const int signal = next_stop();
    if (signal == SIGTRAP) return true;
    has_finished_ = signal == SIGSTOP;
    return false;
}

bool Stepped::run_to(std::uint64_t instruction, std::uint32_t hits) {
    if (!set_breakpoint(child_.pid(), instruction)) return false;
    for (; hits > 0; --hits) {
        ::ptrace(PTRACE_CONT, child_.pid(), nullptr, nullptr);
        const int signal = next_stop();
        if (signal == SIGTRAP) continue;
        has_finished_ = signal == SIGSTOP;
        break;
    }
    set_breakpoint(child_.pid(), 0);
    return hits == 0;
}

bool Stepped::finish() {
    if (has_finished_) return true;
    ::ptrace(PTRACE_CONT, child_.pid(), nullptr, nullptr);
    has_finished_ = stops_at_mark();
    return has_finished_;
}

int Stepped::leave() {
    ::ptrace(PTRACE_CONT, child_.pid(), nullptr, nullptr);
    return child_.wait();
}

Route::Route()
    : shared_(static_cast<Points*>(::mmap(nullptr, sizeof(Points), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (shared_ == MAP_FAILED) throw std::runtime_error("no memory for a route");
}

Route::~Route() {
    ::munmap(shared_, sizeof(Points));
}

bool Route::record(Stepped& child) {
    std::uint64_t k = 0;
    do {
        shared_->points[k].instruction = child.instruction();
    } while (child.step() && ++k + 1 < most);
    if (!child.has_finished()) return false;
    shared_->length = k;
    plan();
    return true;
}

void Route::plan() {
    auto* const points = shared_->points;
    // Repeated string instructions stop once a turn when stepped, but are met once.
    const auto is_met = [&](std::uint64_t k) {
        return k == 0 || points[k].instruction != points[k - 1].instruction;
    };
    std::unordered_map<std::uint64_t, std::uint32_t> occurs;
    std::unordered_map<std::uint64_t, bool> repeats;
    for (std::uint64_t k = 0; k <= shared_->length; ++k) {
        if (!is_met(k)) repeats[points[k].instruction] = true;
        ++occurs[points[k].instruction];
    }
    std::unordered_map<std::uint64_t, std::uint32_t> since;
    std::uint32_t once = 0;
    std::uint32_t landmark = 0;
    std::uint32_t hits = 0;
    std::uint64_t stops = 0;
    for (std::uint64_t k = 0; k <= shared_->length; ++k) {
        auto& point = points[k];
        ++stops;
        if (has_breakpoints && k > 0 && !repeats.contains(point.instruction)) {
            if (occurs[point.instruction] == 1) {
                since.clear();
                once = landmark = static_cast<std::uint32_t>(k);
                hits = 0;
                stops = 0;
            } else if (const auto met = ++since[point.instruction]; met < stops) {
                landmark = static_cast<std::uint32_t>(k);
                hits = met;
                stops = met;
            }
        }
        point.once = once;
        point.landmark = landmark;
        point.hits = hits;
    }
}

bool Route::lead(Stepped& child, std::uint64_t k) const {
    const auto& point = shared_->points[k];
    if (point.once > 0 && !child.run_to(shared_->points[point.once].instruction, 1)) return false;
    if (point.hits > 0 && !child.run_to(shared_->points[point.landmark].instruction, point.hits)) {
        return false;
    }
    for (std::uint64_t at = point.landmark; at < k; ++at) {
        if (!child.step()) return false;
    }
    return child.instruction() == point.instruction;
}

}  // namespace ratecoord::testing
