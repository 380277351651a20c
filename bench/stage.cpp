// SPDX-License-Identifier: Apache-2.0
#include "stage.hpp"

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

namespace bench {

using namespace std::chrono_literals;
using ratecoord::LimitKind;

void give_up(const std::string& what) {
    throw std::runtime_error(what);
}

Stage::Stage() {
    std::string pattern = "/dev/shm/ratecoord-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) give_up("no directory in /dev/shm");
    directory_ = pattern;
    ::setenv("RATECOORD_DIR", directory_.c_str(), 1);
}

Stage::~Stage() {
    ::unsetenv("RATECOORD_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string Stage::fresh_name() {
    return "bench-" + std::to_string(++named_);
}

std::vector<ratecoord::LimitDefinition> roomy_limits(std::size_t count) {
    // A window of a day is never closed for its slack while a benchmark runs, save at midnight.
    const ratecoord::LimitDefinition kinds[] = {
        {.name = "weight", .kind = LimitKind::fixed, .quota = 2'000'000'000, .window = 24h},
        {.name = "orders",
         .kind = LimitKind::rolling,
         .quota = 1'000'000'000,
         .window = 1s,
         .per = "account"},
        {.name = "raw", .kind = LimitKind::rolling, .quota = 1'000'000'000, .window = 1s},
        {.name = "tokens",
         .kind = LimitKind::bucket,
         .quota = 1'000'000'000,
         .window = 1s,
         .burst = 1'000'000'000},
    };
    std::vector<ratecoord::LimitDefinition> limits;
    for (std::size_t i = 0; i < count; ++i) {
        limits.push_back(kinds[i % std::size(kinds)]);
        if (i >= std::size(kinds)) limits.back().name += "-2";
    }
    limits.push_back({.name = "pace", .kind = LimitKind::spacing, .quota = 1, .window = 10min});
    return limits;
}

ratecoord::Cost roomy_cost(const ratecoord::Budget& budget, std::size_t count) {
    const auto limits = roomy_limits(count);
    std::vector<ratecoord::CostItem> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back({limits[i].name, 1, limits[i].per.empty() ? "" : "main"});
    }
    return must(budget.cost(std::span<const ratecoord::CostItem>(items)));
}

ratecoord::Budget create(const std::string& name,
                         const std::vector<ratecoord::LimitDefinition>& limits,
                         std::uint32_t reservations, std::uint32_t clients) {
    return must(ratecoord::Budget::create(
        name, limits,
        {.label = "bench", .clients = clients, .reservations = reservations, .full = true}));
}

Queue::Queue(const std::string& name, std::uint32_t capacity) : name_(name), capacity_(capacity) {
    for (int i = 0; i < 4; ++i) clients_.push_back(must(ratecoord::Budget::attach(name)));
}

void Queue::fill_to(std::size_t total, const std::vector<ratecoord::CostItem>& items) {
    const auto deadline = ratecoord::BootClock::now() + 1000h;
    while (reservations_.size() < total) {
        auto& client = clients_[reservations_.size() * clients_.size() / capacity_];
        auto cost = must(client.cost(std::span<const ratecoord::CostItem>(items)));
        if (reservations_.size() >= capacity_ - capacity_ / 8) {
            cost = cost.with(ratecoord::Lane::critical);
        }
        ratecoord::Reservation reservation;
        const auto decision = must(client.reserve(cost, deadline, reservation));
        if (reservation.id() != 0) {
            reservations_.push_back(std::move(reservation));
        } else if (!decision) {
            give_up("the calendar could not be filled: " +
                    std::string(ratecoord::name_of(decision.refusal())));
        }
    }
}

}  // namespace bench
