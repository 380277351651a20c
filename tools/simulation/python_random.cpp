// SPDX-License-Identifier: Apache-2.0
#include "simulation/python_random.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

// Fills the generator's state as init_by_array does from an integer of Python: its 32-bit digits,
// the lowest first. A std::seed_seq mixes in another way.
class IntegerSeed {
  public:
    using result_type = std::uint32_t;

    explicit IntegerSeed(std::uint64_t seed)
        : digits_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          count_(digits_[1] != 0 ? 2 : 1) {}

    template <class Iterator>
    void generate(Iterator first, Iterator last) const {
        const auto state = expanded();
        std::copy_n(state.begin(), last - first, first);
    }

  private:
    static constexpr std::size_t size = std::mt19937::state_size;
    using State = std::array<std::uint32_t, size>;

    State expanded() const {
        State state;
        state[0] = 19650218u;
        for (std::size_t i = 1; i < size; ++i) {
            state[i] = 1812433253u * mixed(state[i - 1]) + static_cast<std::uint32_t>(i);
        }
        std::size_t at = 1;
        for (std::size_t step = 0; step < size; ++step) {
            const std::size_t digit = step % count_;
            state[at] = (state[at] ^ mixed(state[at - 1]) * 1664525u) + digits_[digit] +
                        static_cast<std::uint32_t>(digit);
            advance(state, at);
        }
        for (std::size_t step = 1; step < size; ++step) {
            state[at] =
                (state[at] ^ mixed(state[at - 1]) * 1566083941u) - static_cast<std::uint32_t>(at);
            advance(state, at);
        }
        state[0] = 0x8000'0000u;
        return state;
    }

    static std::uint32_t mixed(std::uint32_t word) { return word ^ (word >> 30); }

    static void advance(State& state, std::size_t& at) {
        if (++at < size) return;
        state[0] = state[size - 1];
        at = 1;
    }

    std::array<std::uint32_t, 2> digits_;
    std::size_t count_;
};

std::mt19937 seeded(std::uint64_t seed) {
    IntegerSeed sequence(seed);
    return std::mt19937(sequence);
}

}  // namespace

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(seeded(seed)) {}

double PythonRandom::unit() {
    const double high = static_cast<double>(engine_() >> 5);  // 27 bits
    const double low = static_cast<double>(engine_() >> 6);   // 26 bits
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

}  // namespace simulation
