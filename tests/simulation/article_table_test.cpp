// SPDX-License-Identifier: Apache-2.0
#include "simulation/article_table.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "support/catch.hpp"

using namespace simulation;

namespace {

struct Figures {
    long calls;
    const char* last;
};

struct Row {
    const char* name;
    const ArticleCells& cells;
    Figures published[2];  // 100 clients, 1,000 clients
};

std::string one_digit(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", seconds);
    return text;
}

}  // namespace

TEST_CASE("P7: the 16 published figures, and the bound, digit for digit") {
    const auto table = article_table();
    const auto of = [&](Jitter jitter) -> const ArticleCells& {
        return table.jitter[static_cast<std::size_t>(jitter)];
    };
    const Row rows[] = {
        {"lower bound", table.bound, {{100, "9.0"}, {1000, "99.0"}}},
        {"no jitter", of(Jitter::none), {{640, "151.5"}, {51490, "2851.5"}}},
        {"full jitter", of(Jitter::full), {{488, "22.1"}, {9133, "117.4"}}},
        {"equal jitter", of(Jitter::equal), {{452, "17.6"}, {8288, "127.5"}}},
        {"decorrelated jitter", of(Jitter::decorrelated), {{374, "16.1"}, {9549, "123.4"}}},
        {"shared budget", table.shared, {{100, "9.0"}, {1000, "99.0"}}},
    };
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < 2; ++i) {
            INFO(row.name << ", " << article_clients[i] << " clients");
            CHECK(std::lrint(row.cells[i].calls) == row.published[i].calls);
            CHECK(one_digit(row.cells[i].last_success) == row.published[i].last);
        }
    }
    // Not only as rounded: the mean of 200 ends as statistics.mean prints it.
    CHECK(of(Jitter::full)[0].last_success == 0x1.61fb7f16593ddp+4);
    CHECK(of(Jitter::equal)[1].last_success == 0x1.fe10302c9fc3bp+6);
    CHECK(of(Jitter::decorrelated)[1].last_success == 0x1.ed7e91eb3ce24p+6);

    for (std::size_t i = 0; i < 2; ++i) {
        const double bound = table.bound[i].last_success;
        CHECK(table.shared[i].rejected == 0);
        CHECK(table.shared[i].last_success >= bound);
        CHECK(table.shared[i].last_success <= bound * 1.01);
        // The slack of a fixed limit is kept from the beginning of each window.
        CHECK(table.shared[i].last_success == bound + 0.005);
        CHECK(table.shared_default_slack[i].last_success == bound + 0.25);
        CHECK(table.shared_default_slack[i].rejected == 0);
    }
}
