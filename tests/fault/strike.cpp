// SPDX-License-Identifier: Apache-2.0
#include "fault/strike.hpp"

#include "fault/stepped.hpp"
#include "support/catch.hpp"

namespace ratecoord::testing {
namespace {

constexpr int astray_status = 1;
constexpr int tries = 5;

int record(const MakeScene& make, Route& route) {
    const auto scene = make();
    Stepped child([&] { return scene->act(); });
    return child.has_begun() && route.record(child) && child.leave() == 0 ? 0 : 1;
}

/// In a process of its own. A round that went astray leaves no trace unless it is the last try.
int strike_once(const MakeScene& make, const Route& route, Strike how, std::uint64_t k,
                bool is_last_try, Findings& findings) {
    const auto scene = make();
    Stepped child([&] { return scene->act(); });
    if (!child.has_begun()) return 2;
    const bool on_the_way = route.lead(child, k);
    if (!on_the_way && !is_last_try) return astray_status;
    if (!on_the_way) ++findings.astray;
    Judge judge(findings, k, child.pid());
    if (how == Strike::kill) {
        child.kill();
        scene->work(judge);
        scene->after_kill(judge);
        return 0;
    }
    scene->work(judge);
    if (!child.finish()) return 3;
    scene->after_thaw(judge);
    judge.once(child.leave() == 0, "what was thawed did not succeed");
    scene->after_end(judge);
    return 0;
}

std::string text_of(const Findings& found) {
    std::string text;
    const auto add = [&](std::uint64_t count, const char* what) {
        text += std::to_string(count) + what;
    };
    add(found.points, " points of ");
    add(found.instructions, " instructions: ");
    add(found.old_state, " old, ");
    add(found.new_state, " new; ");
    add(found.torn, " torn, ");
    add(found.wedged, " wedged, ");
    add(found.doubled, " doubled, ");
    add(found.leaked, " leaked, ");
    add(found.broken, " broken, ");
    add(found.astray, " astray; a survivor's longest call ");
    text += std::to_string(found.longest_ns / 1'000) + " us";
    if (found.first[0] != 0) {
        text += "; first, at " + std::to_string(found.first_point) + ": " + found.first.data();
    }
    return text;
}

void strike_at(std::uint64_t k, const MakeScene& make, const Route& route, Strike how,
               Findings& findings) {
    ++findings.points;
    for (int n = 1; n <= tries; ++n) {
        ChildProcess round([&] { return strike_once(make, route, how, k, n == tries, findings); });
        const int status = round.wait();
        if (status == 0) return;
        if (status != astray_status) break;
    }
    if (++findings.broken == 1 && findings.first[0] == 0) findings.first_point = k;
}

void strike_all(std::string_view operation, const MakeScene& make, const Route& route, Strike how,
                std::uint64_t most) {
    Shared<Findings> findings;
    const auto length = findings->instructions = route.length();
    const auto width = std::max<std::uint64_t>(1, length / most);
    const auto before = segment::monotonic_now();
    for (std::uint64_t k = 0; k < length; k += width) strike_at(k, make, route, how, *findings);
    strike_at(length, make, route, how, *findings);
    const auto took = std::max<std::int64_t>(1, segment::monotonic_now() - before);
    const auto rate = findings->points * static_cast<std::uint64_t>(core::second_ns) /
                      static_cast<std::uint64_t>(took);
    WARN(operation << (how == Strike::kill ? ", killed: " : ", frozen and thawed: ")
                   << text_of(*findings) << "; " << rate << " points/s");
    CHECK(findings->faults() == 0);
    CHECK(findings->old_state > 0);
    CHECK(findings->new_state > 0);
    CHECK(findings->old_state + findings->new_state == findings->points);
    // Here and there a clock is read twice. On a busy host a sample may meet that by chance.
    if (most == every_instruction) CHECK(findings->astray * 50 <= findings->points);
}

}  // namespace

void strike(std::string_view operation, const MakeScene& make, std::uint64_t most,
            std::initializer_list<Strike> strikes) {
    Route route;
    // A way that was gone twice is the usual one; a sample needs no more than one.
    std::uint64_t before = 0;
    for (int n = 0; n < tries && (n == 0 || before != route.length()); ++n) {
        before = route.length();
        REQUIRE(ChildProcess([&] { return record(make, route); }).wait() == 0);
        if (most != every_instruction) break;
    }
    for (const auto how : strikes) strike_all(operation, make, route, how, most);
}

}  // namespace ratecoord::testing
