// SPDX-License-Identifier: Apache-2.0
//
// Makes each command; one file of this directory per command.
#pragma once

#include <memory>

#include "ratectl/command.hpp"

namespace ratectl {

std::unique_ptr<Command> make_acquire();
std::unique_ptr<Command> make_clients();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_create();
std::unique_ptr<Command> make_destroy();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_exec();
std::unique_ptr<Command> make_explain();
std::unique_ptr<Command> make_halt();
std::unique_ptr<Command> make_help();
std::unique_ptr<Command> make_journal();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_pause();
std::unique_ptr<Command> make_profile();
std::unique_ptr<Command> make_reload();
std::unique_ptr<Command> make_reset();
std::unique_ptr<Command> make_resume();
std::unique_ptr<Command> make_set();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_simulate();
std::unique_ptr<Command> make_top();
std::unique_ptr<Command> make_unhalt();

}  // namespace ratectl
