// SPDX-License-Identifier: Apache-2.0
#include "ratectl/commands/commands.hpp"
#include "ratectl/commands/halt_switch.hpp"

namespace ratectl {

std::unique_ptr<Command> make_halt() {
    return std::make_unique<HaltSwitch>(
        "halt", true,
        [](ratecoord::Budget& budget, const std::string& reason) { return budget.halt(reason); });
}

}  // namespace ratectl
