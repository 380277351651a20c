// SPDX-License-Identifier: Apache-2.0
//
// The house rules. Each looks at the whole tree and returns one line per offence, none if it is
// clean.
#pragma once

#include <filesystem>

#include "tidy/source.hpp"

namespace tidy {

// layers.cpp: who may include whom, and what each layer may not touch.
Complaints check_include_arrows(const Tree& tree);
Complaints check_core_is_pure(const Tree& tree);
Complaints check_segment_is_alone_with_the_system(const Tree& tree);
Complaints check_no_floating_point(const Tree& tree);
const std::vector<std::string_view>& sleepers();
Complaints check_sleeps(const Tree& tree,
                        const std::vector<std::string_view>& allowed = sleepers());

// sizes.cpp: fewer code lines than these; blank lines and comments are free.
inline constexpr std::size_t file_lines_limit = 300;
inline constexpr std::size_t function_lines_limit = 60;
Complaints check_file_lengths(const Tree& tree);
Complaints check_function_lengths(const Tree& tree);

// words.cpp: names and texts.
Complaints check_names(const Tree& tree);
Complaints check_banned_texts(const Tree& tree);
Complaints check_licence_lines(const Tree& tree);

// documents.cpp: what is written twice agrees.
Complaints check_sources_are_built(const Tree& tree);
Complaints check_install_line(const Tree& tree);
Complaints check_man_page(const Tree& tree, const std::filesystem::path& programs);

}  // namespace tidy
