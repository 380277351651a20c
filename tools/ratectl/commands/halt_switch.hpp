// SPDX-License-Identifier: Apache-2.0
//
// What halt and unhalt have in common: the switch of one budget, or of all.
#pragma once

#include <functional>
#include <string>

#include "ratectl/commands/change_arguments.hpp"

namespace ratectl {

class HaltSwitch : public Command {
  public:
    using Act = std::function<ratecoord::Result<void>(ratecoord::Budget&, const std::string&)>;

    HaltSwitch(std::string action, bool sets, Act act)
        : action_(std::move(action)), sets_(sets), act_(std::move(act)) {}

    void declare(Parameters& parameters) override;
    Done run(Console& console) override;

  private:
    Outcome<Change> change_one(const std::string& name) const;
    Done change_all(Console& console) const;

    std::string action_;
    bool sets_;
    Act act_;
    std::string name_;
    std::string reason_;
    bool all_ = false;
    bool dry_run_ = false;
};

}  // namespace ratectl
