// SPDX-License-Identifier: Apache-2.0
#include "verdicts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>

namespace bench {
namespace {

std::string number(double value) {
    char text[32];
    const double size = std::abs(value);
    const int decimals = size >= 1000 || value == static_cast<long long>(value) ? 0
                         : size >= 10                                           ? 1
                                                                                : 2;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string text_of(Bar bar) {
    switch (bar.kind) {
        case Bar::Kind::at_most:
            return "<= " + number(bar.limit);
        case Bar::Kind::at_least:
            return ">= " + number(bar.limit);
        case Bar::Kind::none:
            break;
    }
    return "-";
}

const char* key_of(Bar bar) {
    return bar.kind == Bar::Kind::at_most ? "at_most" : "at_least";
}

}  // namespace

bool Bar::met(double value) const {
    if (kind == Kind::at_most) return value <= limit;
    if (kind == Kind::at_least) return value >= limit;
    return true;
}

void Verdicts::add(std::string what, double value, std::string unit, Bar bar) {
    rows_.push_back({std::move(what), value, std::move(unit), bar, {}});
}

void Verdicts::add_failure(std::string what, std::string why) {
    rows_.push_back({std::move(what), 0, {}, {}, std::move(why)});
}

void Verdicts::print() const {
    std::size_t width = 4;
    for (const Row& row : rows_) width = std::max(width, row.what.size());
    const int wide = static_cast<int>(width);
    std::printf("\n%-*s  %10s  %-7s  %9s\n", wide, "what", "value", "unit", "bar");
    for (const Row& row : rows_) {
        if (!row.failure.empty()) {
            std::printf("%-*s  %10s  %-7s  %9s  missed: %s\n", wide, row.what.c_str(), "-", "-",
                        "-", row.failure.c_str());
            continue;
        }
        const char* verdict = row.bar.kind == Bar::Kind::none ? ""
                              : row.missed()                  ? "missed"
                                                              : "met";
        std::printf("%-*s  %10s  %-7s  %9s  %s\n", wide, row.what.c_str(),
                    number(row.value).c_str(), row.unit.c_str(), text_of(row.bar).c_str(), verdict);
    }
}

bool Verdicts::write_json(const char* path) const {
    std::ofstream out(path);
    out << "{\"program\": " << std::quoted(program_) << ", \"rows\": [";
    const char* separator = "\n";
    for (const Row& row : rows_) {
        out << separator << "  {\"what\": " << std::quoted(row.what) << ", \"value\": ";
        separator = ",\n";
        if (row.failure.empty()) {
            out << row.value << ", \"unit\": " << std::quoted(row.unit);
        } else {
            out << "null, \"failure\": " << std::quoted(row.failure);
        }
        if (row.bar.kind != Bar::Kind::none) {
            out << ", " << std::quoted(key_of(row.bar)) << ": " << row.bar.limit;
        }
        const bool judged = row.bar.kind != Bar::Kind::none || !row.failure.empty();
        out << ", \"verdict\": "
            << (!judged        ? "null"
                : row.missed() ? "\"missed\""
                               : "\"met\"")
            << "}";
    }
    out << "\n]}\n";
    return out.good();
}

int Verdicts::finish() const {
    print();
    const char* path = std::getenv("RATECOORD_BENCH_JSON");
    if (path != nullptr && !write_json(path)) {
        std::fprintf(stderr, "%s: %s cannot be written\n", program_.c_str(), path);
        return 1;
    }
    const auto missed =
        std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.missed(); });
    if (missed > 0) std::printf("%s: %td missed\n", program_.c_str(), missed);
    return missed > 0 ? 1 : 0;
}

}  // namespace bench
