// SPDX-License-Identifier: Apache-2.0
//
// Where a command writes: results on one stream, narration on the other.
//
// PROMISE  In JSON form exactly one document goes to the results, the failure's document included.
//          Colour is used only where `colour` says so, and never in JSON.
// SHARING  One thread.
#pragma once

#include <ostream>
#include <string_view>

#include "ratectl/failure.hpp"
#include "ratectl/json_value.hpp"

namespace ratectl {

enum class Tint { none, alarm, warning, good };

class Console {
  public:
    Console(std::ostream& results, std::ostream& narration)
        : results_(results), narration_(narration) {}

    bool json = false;
    bool colour = false;

    /// A complete text, its last line ended.
    void print(std::string_view text) { results_ << text; }
    /// One document, on a line of its own.
    void print_document(const Json& document);
    /// Hands on what was printed so far; false if that is not possible any more.
    bool flush();
    /// One line beside the result.
    void narrate(std::string_view line);
    /// The failure's lines and, in JSON form, its document.
    void report(const Failure& failure);

    /// `text` in the colour of `tint`, or as it is.
    std::string tinted(std::string_view text, Tint tint) const;

  private:
    std::ostream& results_;
    std::ostream& narration_;
};

}  // namespace ratectl
