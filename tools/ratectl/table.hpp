// SPDX-License-Identifier: Apache-2.0
//
// Columns: as wide as their widest cell, two blanks apart, the same piped or not.
#pragma once

#include <string>
#include <vector>

#include "ratectl/console.hpp"

namespace ratectl {

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
};

struct Cell {
    std::string text;
    Tint tint = Tint::none;
};

class Table {
  public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// As many cells as there are columns.
    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.empty(); }

    /// Title line and rows; every line is ended and has no blanks at its end.
    std::string text(const Console& console) const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace ratectl
