// SPDX-License-Identifier: Apache-2.0
//
// The checkout as the tidy rules see it: every text file, and of C++ files the text without what
// the compiler ignores. Nothing here knows a rule.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

struct SourceFile {
    std::string path;         // relative to the checkout, with '/'
    std::string text;         // as it is
    std::string uncommented;  // C++ only: comments blanked, line breaks kept
    std::string code;         // C++ only: comments and what stands between quotes blanked

    bool is_cpp() const;
    bool is_under(std::string_view directory) const;
};

using Tree = std::vector<SourceFile>;
using Complaints = std::vector<std::string>;

SourceFile make_source(std::string path, std::string text);

// Every file of the checkout but hidden directories (.ci excepted), build directories and binary
// files.
Tree read_tree(const std::filesystem::path& root);

const SourceFile* find_file(const Tree& tree, std::string_view path);

std::vector<std::string> split_lines(std::string_view text);

// "path:line: message"; line 0 leaves the line out.
std::string complaint(const SourceFile& file, std::size_t line, std::string_view message);

// Is there `word` in `text` at `from` or later, not as a part of a longer identifier?
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

std::size_t line_of(std::string_view text, std::size_t position);

}  // namespace tidy
