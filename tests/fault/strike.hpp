// SPDX-License-Identifier: Apache-2.0
//
// One operation, struck at every instruction: the process that does it is killed there, or frozen
// while another one works and then thawed.
//
// PROMISE  Each strike is a round of its own, in a process of its own, with a scene made anew: no
//          round changes what the next one finds. Where a child went another way than the recorded
//          one, its round is repeated. What a round finds is counted, never lost with its process.
// SHARING  Parent and rounds share the Findings.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <ratecoord/result.hpp>

#include "segment/clock.hpp"

namespace ratecoord::testing {

enum class Strike : std::uint8_t { kill, freeze };

struct Findings {
    std::uint64_t instructions = 0;
    std::uint64_t points = 0;
    std::uint64_t old_state = 0;
    std::uint64_t new_state = 0;
    std::uint64_t torn = 0;       ///< neither the old state nor the new one
    std::uint64_t wedged = 0;     ///< a survivor could not go on
    std::uint64_t doubled = 0;    ///< an effect stood not exactly once after the thaw
    std::uint64_t leaked = 0;     ///< something was left after the sweep
    std::uint64_t broken = 0;     ///< rounds that did not come to their end
    std::uint64_t astray = 0;     ///< points that no try reached on the recorded way
    std::int64_t longest_ns = 0;  ///< of one call of a survivor
    std::uint64_t first_point = 0;
    std::array<char, 200> first{};  ///< what was wrong first

    std::uint64_t faults() const noexcept { return torn + wedged + doubled + leaked + broken; }
};

/// What one round found.
class Judge {
  public:
    Judge(Findings& findings, std::uint64_t point, pid_t victim)
        : findings_(findings), point_(point), victim_(victim) {}

    pid_t victim() const noexcept { return victim_; }
    std::uint64_t point() const noexcept { return point_; }

    void found(bool is_new) noexcept {
        ++(is_new ? findings_.new_state : findings_.old_state);
        is_new_ = is_new;
    }
    bool is_new() const noexcept { return is_new_; }

    void whole(bool holds, std::string_view claim) { note(holds, findings_.torn, claim); }
    void once(bool holds, std::string_view claim) { note(holds, findings_.doubled, claim); }
    void freed(bool holds, std::string_view claim) { note(holds, findings_.leaked, claim); }

    /// A survivor's call that must succeed, and how long it took.
    template <class Call>
    auto goes_on(Call&& call) {
        const auto before = segment::monotonic_now();
        auto result = call();
        findings_.longest_ns = std::max(findings_.longest_ns, segment::monotonic_now() - before);
        if (!result) note(false, findings_.wedged, result.error().message);
        return result;
    }

  private:
    void note(bool holds, std::uint64_t& count, std::string_view claim) {
        if (holds) return;
        ++count;
        if (findings_.first[0] != 0) return;
        findings_.first_point = point_;
        std::memcpy(findings_.first.data(), claim.data(),
                    std::min(claim.size(), findings_.first.size() - 1));
    }

    Findings& findings_;
    std::uint64_t point_;
    pid_t victim_;
    bool is_new_ = false;
};

/// One operation, and what must hold around it. Made before its victim is.
class Scene {
  public:
    Scene() = default;
    virtual ~Scene() = default;
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    /// In the victim: marks, operates, marks; 0 where the operation succeeded.
    virtual int act() = 0;
    /// Another process works, beside a victim that is dead or frozen. Calls judge.found().
    virtual void work(Judge& judge) = 0;
    /// Nothing is left of a dead victim.
    virtual void after_kill(Judge& judge) = 0;
    /// The victim has come to its second mark.
    virtual void after_thaw(Judge& judge) = 0;
    /// It has left with what act() does after its second mark.
    virtual void after_end(Judge&) {}
};

using MakeScene = std::function<std::unique_ptr<Scene>()>;

/// Strikes at every instruction, or at `most` of them, spread. Judged and printed.
void strike(std::string_view operation, const MakeScene& make, std::uint64_t most,
            std::initializer_list<Strike> strikes);

inline constexpr std::uint64_t every_instruction = ~std::uint64_t{0};
/// So many rounds take a second or two, however long the operation is.
inline constexpr std::uint64_t a_sample = 100;

template <class Made>
void strike(std::string_view operation, std::uint64_t most,
            std::initializer_list<Strike> strikes = {Strike::kill, Strike::freeze}) {
    strike(
        operation, [] { return std::make_unique<Made>(); }, most, strikes);
}

}  // namespace ratecoord::testing
