// SPDX-License-Identifier: Apache-2.0
#include "core/scratch_budget.hpp"

#include <cstring>
#include <stdexcept>

namespace core_test {

LimitRecord record_of(const LimitDefinition& definition) {
    const auto made = to_record(definition);
    if (const auto* error = std::get_if<DefinitionError>(&made)) {
        throw std::invalid_argument(error->message);
    }
    return std::get<LimitRecord>(made);
}

LimitDefinition limit(LimitKind kind, std::uint64_t quota, std::int64_t window_ns,
                      std::uint64_t burst, std::int64_t slack_ns) {
    LimitDefinition definition;
    definition.name = "weight";
    definition.kind = kind;
    definition.quota = quota;
    definition.window = std::chrono::nanoseconds(window_ns);
    definition.burst = burst;
    definition.slack = std::chrono::nanoseconds(slack_ns);
    return definition;
}

LimitRecord tiny_record(LimitKind kind, std::uint64_t quota, std::int64_t window,
                        std::uint64_t burst, std::int64_t slack) {
    LimitRecord record{};
    record.name[0] = 't';
    record.quota = quota;
    record.window_ns = window;
    record.burst = burst;
    record.slack_ns = slack;
    record.largest_cost = 1;
    record.kind = static_cast<std::uint8_t>(kind);
    record.in_use = 1;
    return record;
}

Request request_of(std::initializer_list<Pick> picks, Instant deadline, Lane lane, Intent intent,
                   std::uint16_t slot) {
    Request request;
    for (const Pick& pick : picks) {
        Draw& draw = request.draws[request.count++];
        draw.limit = pick.limit;
        draw.units = pick.units;
        draw.key_low = pick.key;
    }
    request.deadline = deadline;
    request.lane = lane;
    request.intent = intent;
    request.slot = slot;
    request.slot_generation = 1;
    return request;
}

ScratchBudget::ScratchBudget(std::vector<LimitRecord> limits, const Options& options)
    : records_(std::move(limits)), workspace_(options.capacity) {
    rules_.current.resize(options.capacity.limits);
    rules_.previous.resize(options.capacity.limits);
    for (std::size_t i = 0; i < records_.size(); ++i) rules_.current[i] = compile(records_[i]);
    live_.cells.resize(options.capacity.cells());
    live_.keys.resize(options.capacity.keys);
    live_.entries.resize(options.capacity.reservations);
    state_.head = &live_.head;
    state_.cell_storage = live_.cells;
    state_.key_storage = live_.keys;
    state_.entry_storage = live_.entries;
    Creation creation;
    creation.now = options.now;
    creation.utc_offset = options.utc_offset;
    creation.full = options.full;
    creation.shadow = options.shadow;
    creation.same_rules = options.same_rules;
    create(state_, rules_, static_cast<std::uint16_t>(records_.size()), creation);
}

void ScratchBudget::restore(const Copy& copy) {
    live_.head = copy.head;
    std::copy(copy.cells.begin(), copy.cells.end(), live_.cells.begin());
    std::copy(copy.keys.begin(), copy.keys.end(), live_.keys.begin());
    std::copy(copy.entries.begin(), copy.entries.end(), live_.entries.begin());
}

void ScratchBudget::freshen(Instant now) {
    static_cast<void>(steps(now));
}

int ScratchBudget::steps(Instant now) {
    int taken = 0;
    while (head().plan != Plan::fresh) {
        if (++taken > 1000) throw std::runtime_error("the plan never becomes fresh");
        static_cast<void>(step(state_, rules_, workspace_, now));
    }
    return taken;
}

Answer ScratchBudget::ask(Request& request, Instant now) {
    for (int round = 0; round < 1000; ++round) {
        freshen(now);
        const Copy before = live_;
        const Answer answer = reserve(state_, rules_, workspace_, request, now);
        if (!answer.changed) restore(before);
        if (answer.verdict != Verdict::plan_stale) return answer;
    }
    throw std::runtime_error("the plan stays stale");
}

Answer ScratchBudget::ask(std::initializer_list<Pick> picks, Instant now, Instant deadline) {
    Request request = request_of(picks, deadline);
    return ask(request, now);
}

bool ScratchBudget::take(Instant now, std::uint32_t units) {
    return ask({{0, units}}, now).verdict == Verdict::granted;
}

Answer ScratchBudget::confirm_at(std::uint64_t id, Instant now, std::uint16_t slot) {
    for (int round = 0; round < 1000; ++round) {
        const Copy before = live_;
        const Answer answer = confirm(state_, rules_, id, slot, 1, now);
        if (!answer.changed) restore(before);
        if (answer.verdict != Verdict::plan_stale) return answer;
        freshen(now);
    }
    throw std::runtime_error("the plan stays stale");
}

Answer ScratchBudget::where(std::uint64_t id, Instant now, std::uint16_t slot) const {
    return look_up(state_, id, slot, 1, now);
}

bool ScratchBudget::cancel_at(std::uint64_t id, Instant now, std::uint16_t slot) {
    const bool cancelled = cancel(state_, id, slot, 1, now);
    freshen(now);
    return cancelled;
}

Change ScratchBudget::change(std::uint16_t limit, const LimitRecord& record, Instant now) {
    const Rule changed = compile(record);
    Instant until = 0;
    const Change change = classify(state_, rules_, limit, changed, now, until);
    if (change == Change::refused) return change;
    if (!change_limit(state_, rules_, limit, changed, now)) {
        throw std::runtime_error("no cell is free for a predecessor");
    }
    if (change == Change::beside) rules_.previous[limit] = rules_.current[limit];
    rules_.current[limit] = changed;
    records_[limit] = record;
    freshen(now);
    return change;
}

void ScratchBudget::add(const LimitRecord& record, Instant now) {
    const Rule rule = compile(record);
    if (!add_limit(state_, rule, now)) throw std::runtime_error("no cell is free for the limit");
    rules_.current[records_.size()] = rule;
    records_.push_back(record);
}

const Entry* ScratchBudget::entry(std::uint64_t id) const noexcept {
    for (const Entry& entry : state_.entries()) {
        if (entry.id == id) return &entry;
    }
    return nullptr;
}

std::vector<unsigned char> ScratchBudget::bytes() const {
    std::vector<unsigned char> all;
    const auto append = [&](const void* data, std::size_t size) {
        const auto* first = static_cast<const unsigned char*>(data);
        all.insert(all.end(), first, first + size);
    };
    append(state_.head, sizeof(StateHead));
    append(state_.cells().data(), state_.cells().size_bytes());
    append(state_.keys().data(), state_.keys().size_bytes());
    append(state_.entries().data(), state_.entries().size_bytes());
    return all;
}

}  // namespace core_test
