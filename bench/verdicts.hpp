// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark found, row by row, each against its bar.
//
// PROMISE  A missed bar cannot be overlooked: it says `missed`, and finish() returns 1.
//          With RATECOORD_BENCH_JSON set, the rows are in that file as well.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Bar {
    enum class Kind { none, at_most, at_least };
    Kind kind = Kind::none;
    double limit = 0;

    static Bar at_most(double limit) { return {Kind::at_most, limit}; }
    static Bar at_least(double limit) { return {Kind::at_least, limit}; }
    bool met(double value) const;
};

class Verdicts {
  public:
    explicit Verdicts(std::string program) : program_(std::move(program)) {}

    void add(std::string what, double value, std::string unit, Bar bar = {});
    /// A row that could not be measured counts as missed.
    void add_failure(std::string what, std::string why);
    /// Prints the table and writes the JSON; the program's exit status.
    int finish() const;

  private:
    struct Row {
        std::string what;
        double value;
        std::string unit;
        Bar bar;
        std::string failure;

        bool missed() const { return !failure.empty() || !bar.met(value); }
    };
    void print() const;
    bool write_json(const char* path) const;

    std::string program_;
    std::vector<Row> rows_;
};

}  // namespace bench
