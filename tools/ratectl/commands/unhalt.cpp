// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/halt_switch.hpp"

namespace ratectl {

std::unique_ptr<Command> make_unhalt() {
    return std::make_unique<HaltSwitch>(
        "unhalt", false,
        [](ratecoord::Budget& budget, const std::string& reason) { return budget.unhalt(reason); });
}

}  // namespace ratectl
