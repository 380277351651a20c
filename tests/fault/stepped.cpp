// SPDX-License-Identifier: Apache-2.0
#include "fault/stepped.hpp"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <unordered_map>

namespace ratecoord::testing {
namespace {

#if defined(__x86_64__)
constexpr bool has_breakpoints = true;

/// An int3 in the child's own copy of the code. A debug register would be neater, but there are
/// virtual machines that take one and never stop at it.
class Breakpoint {
  public:
    Breakpoint(pid_t pid, std::uint64_t instruction) : pid_(pid), instruction_(instruction) {
        errno = 0;
        word_ = ::ptrace(PTRACE_PEEKTEXT, pid_, instruction_, nullptr);
        is_set_ = errno == 0 && write((word_ & ~0xffL) | 0xcc);
    }
    bool is_set() const { return is_set_; }
    /// The child stands where it would be had there been none.
    bool remove(bool was_met) {
        if (!write(word_)) return false;
        user_regs_struct registers{};
        if (::ptrace(PTRACE_GETREGS, pid_, nullptr, &registers) != 0) return false;
        if (!was_met) return true;
        registers.rip = instruction_;
        return ::ptrace(PTRACE_SETREGS, pid_, nullptr, &registers) == 0;
    }

  private:
    bool write(long word) { return ::ptrace(PTRACE_POKETEXT, pid_, instruction_, word) == 0; }
    pid_t pid_;
    std::uint64_t instruction_;
    long word_ = 0;
    bool is_set_ = false;
};

std::uint64_t instruction_of(const user_regs_struct& registers) {
    return registers.rip;
}

/// Where it repeats, its counter is cut short, and given back with what is left of it.
bool make_turns(pid_t pid, std::uint64_t turns, const std::function<bool()>& run) {
    user_regs_struct registers{};
    if (::ptrace(PTRACE_GETREGS, pid, nullptr, &registers) != 0) return false;
    const auto instruction = registers.rip;
    const auto left = registers.rcx - turns;
    registers.rcx = turns;
    if (::ptrace(PTRACE_SETREGS, pid, nullptr, &registers) != 0 || !run()) return false;
    if (::ptrace(PTRACE_GETREGS, pid, nullptr, &registers) != 0) return false;
    registers.rip = instruction;
    registers.rcx = left;
    return ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers) == 0;
}

/// The length of rep, repe or repne with movs, cmps, stos, lods or scas; 0 for anything else. The
/// child's code is ours.
std::uint64_t repeated_bytes(std::uint64_t instruction) {
    const auto* code = reinterpret_cast<const unsigned char*>(instruction);
    if (*code != 0xf2 && *code != 0xf3) return 0;
    const std::uint64_t prefixes = (code[1] & 0xf0) == 0x40 ? 2 : 1;
    const auto operation = code[prefixes];
    const bool is_string = operation >= 0xa4 && operation <= 0xaf && (operation & 0xfe) != 0xa8;
    return is_string ? prefixes + 1 : 0;
}

std::uint64_t turns_left(pid_t pid) {
    return static_cast<std::uint64_t>(
        ::ptrace(PTRACE_PEEKUSER, pid, offsetof(user_regs_struct, rcx), nullptr));
}
#else
constexpr bool has_breakpoints = false;

struct Breakpoint {
    Breakpoint(pid_t, std::uint64_t) {}
    static bool is_set() { return false; }
    static bool remove(bool) { return false; }
};

bool make_turns(pid_t, std::uint64_t, const std::function<bool()>&) {
    return false;
}

std::uint64_t repeated_bytes(std::uint64_t) {
    return 0;
}

std::uint64_t turns_left(pid_t) {
    return 0;
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
    for (; hits > 0; --hits) {
        if (this->instruction() == instruction && !step()) return false;
        Breakpoint breakpoint(child_.pid(), instruction);
        if (!breakpoint.is_set()) return false;
        ::ptrace(PTRACE_CONT, child_.pid(), nullptr, nullptr);
        const int signal = next_stop();
        has_finished_ = signal == SIGSTOP;
        if (!breakpoint.remove(signal == SIGTRAP) || signal != SIGTRAP) return false;
    }
    return true;
}

bool Stepped::turn(std::uint64_t turns, std::uint64_t next) {
    return make_turns(child_.pid(), turns, [&] { return run_to(next, 1); });
}

std::uint64_t Stepped::all_turns() {
    const auto at = instruction();
    const auto bytes = repeated_bytes(at);
    if (bytes == 0) return 0;
    const auto turns = turns_left(child_.pid());
    if (turns == 0 || !run_to(at + bytes, 1)) return 0;
    return turns - turns_left(child_.pid());
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
    while (!child.has_finished() && k + 1 < most) {
        const auto instruction = shared_->points[k].instruction = child.instruction();
        if (const auto turns = child.all_turns(); turns > 0) {
            for (const auto end = std::min(most - 1, k + turns); k < end; ++k) {
                shared_->points[k].instruction = instruction;
            }
        } else if (child.step()) {
            ++k;
        } else if (!child.has_finished()) {
            return false;
        }
    }
    if (!child.has_finished()) return false;
    shared_->length = k;
    count_turns();
    plan();
    return true;
}

void Route::count_turns() {
    auto* const points = shared_->points;
    points[shared_->length].turns = 1;
    for (std::uint64_t k = shared_->length; k-- > 0;) {
        const bool goes_on = points[k].instruction == points[k + 1].instruction &&
                             repeated_bytes(points[k].instruction) > 0;
        points[k].turns = goes_on ? points[k + 1].turns + 1 : 1;
    }
}

/// The cheapest way to each point, in stops of the child.
void Route::plan() {
    auto* const points = shared_->points;
    std::unordered_map<std::uint64_t, std::uint32_t> occurs;
    std::unordered_map<std::uint64_t, std::uint32_t> since;
    for (std::uint64_t k = 0; k <= shared_->length; ++k) ++occurs[points[k].instruction];
    Point best{};
    std::uint64_t stops = 0;
    for (std::uint64_t k = 0; k <= shared_->length; ++k) {
        auto& point = points[k];
        const bool in_turns = k > 0 && points[k - 1].turns > 1;
        if (!in_turns) ++stops;
        // A breakpoint at a repeated instruction is met once, or at every turn.
        if (has_breakpoints && k > 0 && !in_turns && repeated_bytes(point.instruction) == 0) {
            if (occurs[point.instruction] == 1) {
                since.clear();
                best.once = best.landmark = static_cast<std::uint32_t>(k);
                stops = best.hits = 0;
            } else if (const auto met = ++since[point.instruction]; met < stops) {
                best.landmark = static_cast<std::uint32_t>(k);
                stops = best.hits = met;
            }
        }
        point.once = best.once;
        point.landmark = best.landmark;
        point.hits = best.hits;
    }
}

bool Route::lead(Stepped& child, std::uint64_t k) const {
    const auto& point = shared_->points[k];
    if (point.once > 0 && !child.run_to(shared_->points[point.once].instruction, 1)) return false;
    if (point.hits > 0 && !child.run_to(shared_->points[point.landmark].instruction, point.hits)) {
        return false;
    }
    const auto* const points = shared_->points;
    for (std::uint64_t at = point.landmark; at < k;) {
        const auto turns = points[at].turns;
        const auto next = points[at + turns].instruction;
        if (turns == 1) {
            if (!child.step()) return false;
            ++at;
        } else if (at + turns <= k) {
            if (!child.run_to(next, 1)) return false;
            at += turns;
        } else {
            if (!child.turn(k - at, next)) return false;
            at = k;
        }
    }
    return child.instruction() == point.instruction;
}

}  // namespace ratecoord::testing
