// SPDX-License-Identifier: Apache-2.0
//
// One budget, one permit: enough to need every layer of the installed library.
#include <chrono>
#include <cstdio>

#include <ratecoord/budget.hpp>

int main() {
    using namespace std::chrono_literals;
    const ratecoord::LimitDefinition requests{.name = "requests",
                                              .kind = ratecoord::LimitKind::bucket,
                                              .quota = 100,
                                              .window = 1s,
                                              .burst = 50};
    ratecoord::OpenOptions options;
    options.full = true;
    auto budget = ratecoord::Budget::open("consumer", {requests}, options);
    if (!budget) {
        std::printf("consumer: %s\n", budget.error().message.c_str());
        return 1;
    }
    const auto cost = budget->cost({{"requests", 2}});
    if (!cost) {
        std::printf("consumer: %s\n", cost.error().message.c_str());
        return 1;
    }
    const auto decision = budget->acquire(*cost, 10s);
    if (!decision || !*decision) {
        std::puts("consumer: no permit");
        return 1;
    }
    std::puts("consumer: got its permit");
    return 0;
}
