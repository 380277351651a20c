// SPDX-License-Identifier: Apache-2.0
//
// Bytes from outside that pass valid() may be absurd; no operation may misbehave on them. The
// sanitizers judge; here only the state after each operation is looked at.
#include "core/forged_state.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

Request any_request(Random& random, std::size_t limits) {
    Request request = request_of({}, any_instant(random));
    for (std::uint16_t i = 0; i < limits; ++i) {
        if (below(random, 2) == 0) continue;
        Draw& draw = request.draws[request.count++];
        draw.limit = i;
        draw.units = any_units(random);
        draw.key_low = below(random, 5);
        draw.cell = static_cast<std::uint16_t>(below(random, 20));
        draw.generation = any_units(random);
    }
    request.lane = static_cast<Lane>(below(random, 2));
    request.intent = static_cast<Intent>(below(random, 3));
    request.slot = static_cast<std::uint16_t>(below(random, 4));
    return request;
}

void stop_somehow(Random& random, ScratchBudget& budget, Instant now) {
    State& state = budget.state();
    const Rules& rules = budget.rules();
    switch (below(random, 6)) {
        case 0: {
            const bool one = below(random, 2) == 0 && state.head->keys_in_use > 0;
            const auto key = static_cast<std::uint16_t>(one ? below(random, state.head->keys_in_use)
                                                            : std::uint64_t{none});
            static_cast<void>(pause(state, rules, static_cast<PauseKind>(below(random, 3)), key,
                                    any_instant(random), now));
            break;
        }
        case 1:
            static_cast<void>(resume(state, rules, {true, true, true}, now));
            break;
        case 2:
            reset(state, rules, now);
            break;
        case 3:
            halt(state);
            break;
        case 4:
            unhalt(state);
            break;
        default:
            probe_reply(state, state.head->probe_id, static_cast<Outcome>(below(random, 5)), now);
    }
}

void change_somehow(Random& random, ScratchBudget& budget, Instant now) {
    State& state = budget.state();
    const Rules& rules = budget.rules();
    const auto cell = static_cast<std::uint16_t>(below(random, budget.records().size()));
    switch (below(random, 4)) {
        case 0:
            static_cast<void>(renew_offset(state, rules, any_instant(random), now));
            break;
        case 1:
            static_cast<void>(
                observe_used(state, rules, budget.workspace(), cell, random(), now, now));
            break;
        case 2:
            static_cast<void>(
                observe_remaining(state, rules, budget.workspace(), cell, random(), now));
            break;
        default: {
            const Rule changed = compile(any_record(random));
            Instant until = 0;
            if (classify(state, rules, cell, changed, now, until) == Change::refused) break;
            static_cast<void>(change_limit(state, rules, cell, changed, now));
        }
    }
}

void operate(Random& random, ScratchBudget& budget) {
    State& state = budget.state();
    const Rules& rules = budget.rules();
    const Instant now = any_instant(random);
    const auto entries = state.entries();
    const std::uint64_t id = entries.empty() ? 1 : entries[below(random, entries.size())].id;
    const auto slot = static_cast<std::uint16_t>(below(random, 4));
    Request request = any_request(random, budget.records().size());
    switch (below(random, 9)) {
        case 0:
            static_cast<void>(confirm(state, rules, id, slot, 1, now));
            break;
        case 1:
            static_cast<void>(cancel(state, id, slot, 1, now));
            break;
        case 2:
            static_cast<void>(lapse_slot(state, slot, 1));
            break;
        case 3:
            static_cast<void>(look_up(state, id, slot, 1, now));
            break;
        case 4:
            static_cast<void>(give_back(state, rules, id, request,
                                        static_cast<std::uint8_t>(random()), any_instant(random),
                                        now));
            break;
        case 5:
            stop_somehow(random, budget, now);
            break;
        case 6:
            change_somehow(random, budget, now);
            break;
        case 7:
            for (std::uint16_t i = 0; i < budget.records().size(); ++i) {
                const Cell& cell = state.cell_storage[i];
                static_cast<void>(opens_at(state, rules, i));
                static_cast<void>(available(*state.head, rules.of(cell), cell, 0, now));
            }
            break;
        default:
            static_cast<void>(reserve(state, rules, budget.workspace(), request, now));
    }
    static_cast<void>(step(state, rules, budget.workspace(), now));
}

}  // namespace

TEST_CASE("G7: a forged state that passes valid() makes no operation misbehave") {
    Random random(20260101);
    for (int round = 0; round < 400; ++round) {
        std::vector<LimitRecord> records;
        for (std::uint64_t i = 1 + below(random, 4); i > 0; --i)
            records.push_back(any_record(random));
        ScratchBudget::Options options;
        options.capacity = Capacity{4, 24, 4, 4};
        ScratchBudget budget(records, options);
        forge(random, budget.state(), records.size());
        if (!valid(budget.state())) continue;
        for (int i = 0; i < 12; ++i) {
            INFO("round " << round << " operation " << i);
            operate(random, budget);
            REQUIRE(budget.head().entries_in_use <= 24);
            REQUIRE(budget.head().cells_in_use <= 16);
            REQUIRE(budget.head().keys_in_use <= 4);
        }
    }
}

TEST_CASE("valid() refuses what breaks an invariant of the state") {
    const auto broken = [](auto&& breaks) {
        ScratchBudget budget({record_of(limit(LimitKind::rolling, 10, 10 * s, 1, s))});
        REQUIRE(budget.take(1000 * s));
        REQUIRE(budget.ask({{0, 1}}, 1000 * s, far).verdict == Verdict::reserved);
        REQUIRE(budget.ask({{0, 1}}, 1000 * s, far).verdict == Verdict::reserved);
        REQUIRE(valid(budget.state()));
        breaks(budget.state());
        return !valid(budget.state());
    };
    REQUIRE(broken([](State& x) { x.head->next_id = 0; }));
    REQUIRE(broken([](State& x) { x.head->next_id = 2; }));
    REQUIRE(broken([](State& x) { x.head->limits_in_use = 2; }));
    REQUIRE(broken([](State& x) { x.head->definitions_copy = 2; }));
    REQUIRE(broken([](State& x) { x.head->plan = static_cast<Plan>(3); }));
    REQUIRE(broken([](State& x) { x.head->utc_offset = utc_offset_max + 1; }));
    REQUIRE(broken([](State& x) { x.head->pause_until[1] = -far - 1; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].in_use = 0; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].in_use = 3; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].limit = 1; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].key = 0; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].previous = 0; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].previous = 9; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].expires_at = 0; }));
    REQUIRE(broken([](State& x) { x.cell_storage[0].lane[1].full_at = INT64_MIN; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].charges = 0; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].charges = 9; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].cell[0] = 1; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].deadline = INT64_MAX; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].at = x.entry_storage[1].at + 1; }));
    REQUIRE(broken([](State& x) { x.entry_storage[0].flags = entry_confirmed | entry_pending; }));
}
