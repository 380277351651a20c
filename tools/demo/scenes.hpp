// SPDX-License-Identifier: Apache-2.0
//
// The scenes. Each starts a fresh venue and a herd, and adds its figures and bars to the report.
#pragma once

#include <string>

#include "demo/options.hpp"
#include "demo/process.hpp"
#include "demo/progress.hpp"
#include "demo/report.hpp"

namespace demo {

struct Cast {
    const Options& options;
    const std::string& programs;  // directory of herd and mock-venue
    Signals& signals;
    Progress& progress;
    Report& report;
};

void play_today(Cast& cast);
// 100 clients as 100 processes, or 1,000 as 40 processes of 25 threads.
void play_shared(Cast& cast);
void play_thousand(Cast& cast);
void play_ban(Cast& cast);
void play_saturation(Cast& cast);
void play_two_limits(Cast& cast);
void play_strangers(Cast& cast);

void play(const std::string& scene, Cast& cast);

}  // namespace demo
