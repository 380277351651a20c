// SPDX-License-Identifier: Apache-2.0
//
// The checkout keeps the house rules. tidy_rules_test.cpp shows that each rule can fail.
#include <cstdlib>
#include <iostream>

#include "support/catch.hpp"
#include "tidy/rules.hpp"

namespace {

std::filesystem::path directory_from(const char* variable) {
    const char* value = std::getenv(variable);
    REQUIRE(value != nullptr);
    return value;
}

void require_none(const tidy::Complaints& complaints) {
    for (const auto& complaint : complaints) std::cout << complaint << '\n';
    CHECK(complaints.empty());
}

}  // namespace

TEST_CASE("the checkout keeps the house rules", "[tidy]") {
    const auto tree = tidy::read_tree(directory_from("RATECOORD_SOURCE_DIR"));
    REQUIRE(tree.size() > 10);

    SECTION("includes follow the arrows between layers") {
        require_none(tidy::check_include_arrows(tree));
    }
    SECTION("the core is pure") {
        require_none(tidy::check_core_is_pure(tree));
    }
    SECTION("only the segment deals with shared memory and file locks") {
        require_none(tidy::check_segment_is_alone_with_the_system(tree));
    }
    SECTION("the library has no floating point") {
        require_none(tidy::check_no_floating_point(tree));
    }
    SECTION("nothing sleeps but where it must") {
        require_none(tidy::check_sleeps(tree));
    }
    SECTION("files are short") {
        require_none(tidy::check_file_lengths(tree));
    }
    SECTION("functions are short") {
        require_none(tidy::check_function_lengths(tree));
    }
    SECTION("names say something") {
        require_none(tidy::check_names(tree));
    }
    SECTION("nothing is left to do, nothing points into one machine") {
        require_none(tidy::check_banned_texts(tree));
    }
    SECTION("every source names its licence") {
        require_none(tidy::check_licence_lines(tree));
    }
    SECTION("every source is built") {
        require_none(tidy::check_sources_are_built(tree));
    }
    SECTION("the README installs what ./dev installs") {
        require_none(tidy::check_install_line(tree));
    }
    SECTION("the manual page names every command and flag") {
        require_none(tidy::check_man_page(tree, directory_from("RATECOORD_BIN_DIR")));
    }
}
