// SPDX-License-Identifier: Apache-2.0
//
// Each rule finds what it is there to find, and lets pass what only looks like it.
#include "support/catch.hpp"
#include "tidy/rules.hpp"

namespace {

tidy::Tree tree_of(const std::string& path, const std::string& text) {
    return {tidy::make_source(path, text)};
}

std::string repeated(const std::string& line, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += line;
    return text;
}

}  // namespace

TEST_CASE("an include against the arrow is found", "[tidy]") {
    const std::string upward = "#include \"segment/lock.hpp\"\n";
    CHECK(tidy::check_include_arrows(tree_of("lib/core/state.hpp", upward)).size() == 1);
    CHECK(tidy::check_include_arrows(tree_of("lib/segment/file.hpp", upward)).empty());
    CHECK(tidy::check_include_arrows(tree_of("lib/include/ratecoord/x.hpp", upward)).size() == 1);
    CHECK(tidy::check_include_arrows(tree_of("tools/ratectl/x.cpp", upward)).empty());
    CHECK(tidy::check_include_arrows(tree_of("tools/mock-venue/x.cpp", upward)).size() == 1);
    CHECK(tidy::check_include_arrows(tree_of("lib/core/x.cpp", "// " + upward)).empty());
    CHECK(tidy::check_include_arrows(tree_of("lib/core/x.cpp", "#include <ratecoord/budget.hpp>\n"))
              .size() == 1);
}

TEST_CASE("what makes the core impure is found", "[tidy]") {
    const auto count = [](const std::string& text) {
        return tidy::check_core_is_pure(tree_of("lib/core/x.cpp", text)).size();
    };
    CHECK(count("#include <atomic>\n") == 1);
    CHECK(count("#include <sys/mman.h>\n") == 1);
    CHECK(count("auto t = std::chrono::steady_clock::now();\n") == 1);
    CHECK(count("auto p = new int;\n") == 1);
    CHECK(count("// a new window\nX(const X&) = delete;\nint renew; auto s = \"new\";\n") == 0);
}

TEST_CASE("system calls outside the segment are found", "[tidy]") {
    const std::string text = "#include <boost/interprocess/mapped_region.hpp>\nint x = mmap();\n";
    const auto count = [&](const std::string& path) {
        return tidy::check_segment_is_alone_with_the_system(tree_of(path, text)).size();
    };
    CHECK(count("lib/client/x.cpp") == 2);
    CHECK(count("lib/segment/x.cpp") == 0);
    CHECK(count("tests/fault/x.cpp") == 0);
}

TEST_CASE("floating point in the library and sleeps anywhere are found", "[tidy]") {
    CHECK(tidy::check_no_floating_point(tree_of("lib/core/x.cpp", "double rate;\n")).size() == 1);
    CHECK(tidy::check_no_floating_point(tree_of("tools/x.cpp", "double rate;\n")).empty());
    const auto sleeps = [](const std::string& text, const std::vector<std::string_view>& allowed) {
        return tidy::check_sleeps(tree_of("lib/x.cpp", text), allowed).size();
    };
    CHECK(sleeps("std::this_thread::sleep_for(1s);\n", {}) == 1);
    CHECK(sleeps("    ::sleep(1);\n", {}) == 1);
    CHECK(sleeps("    ::sleep(1);\n", {"lib/x.cpp"}) == 0);
    CHECK(sleeps("// it may sleep\nSteps::sleep(word, 1);\n", {}) == 0);
    CHECK(sleeps("int x;\n", {"lib/x.cpp"}) == 1);
    CHECK(sleeps("int x;\n", {"lib/gone.cpp"}) == 1);
}

TEST_CASE("only code counts as the length of a file", "[tidy]") {
    const auto count = [](const std::string& text) {
        return tidy::check_file_lengths(tree_of("lib/x.cpp", text)).size();
    };
    CHECK(count(repeated("int x;\n", tidy::file_lines_limit)) == 1);
    CHECK(count(repeated("int x;\n", tidy::file_lines_limit - 1)) == 0);
    CHECK(count(repeated("// why\n\n", tidy::file_lines_limit)) == 0);
    CHECK(count("/*\n" + repeated("why\n", tidy::file_lines_limit) + "*/\n") == 0);
}

TEST_CASE("a long function is found wherever it stands", "[tidy]") {
    const auto body =
        repeated("    x = {1};\n    if (x) { y(); }\n", tidy::function_lines_limit / 2);
    const auto count = [](const std::string& text) {
        return tidy::check_function_lengths(tree_of("lib/x.cpp", text)).size();
    };
    CHECK(count("namespace a {\nvoid f(int x) {\n" + body + "}\n}\n") == 1);
    CHECK(count("class A {\n  public:\n    int f() const noexcept {\n" + body + "}\n};\n") == 1);
    CHECK(count("A::A(int a) : a_{a}, b_(a) {\n" + body + "}\n") == 1);
    CHECK(count("A::A(int a) : a_{a}, b_{a} {\n" + body + "}\n") == 1);
    CHECK(count("template <class T>\nauto f(T t) -> std::vector<T> {\n" + body + "}\n") == 1);
    CHECK(count("TEST_CASE(\"x\", \"[y]\") {\n" + body + "}\n") == 1);
    CHECK(count("#define F(x) {\nvoid f() {\n" + body + "}\n") == 1);
}

TEST_CASE("what is long but no function passes", "[tidy]") {
    const auto members = repeated("    int f() { return 1; }\n", tidy::function_lines_limit);
    const auto count = [](const std::string& text) {
        return tidy::check_function_lengths(tree_of("lib/x.cpp", text)).size();
    };
    CHECK(count("namespace {\n" + members + "}\n") == 0);
    CHECK(count("struct alignas(64) A : B {\n" + members + "};\n") == 0);
    CHECK(count("template <class T>\nclass A {\n" + members + "};\n") == 0);
    CHECK(count("const int table[] = {\n" + repeated("    f(1),\n", 100) + "};\n") == 0);
}

TEST_CASE("names that say nothing are found", "[tidy]") {
    CHECK(tidy::check_names(tree_of("lib/core/time_utils.hpp", "")).size() == 1);
    CHECK(tidy::check_names(tree_of("lib/common/x.hpp", "")).size() == 1);
    CHECK(tidy::check_names(tree_of("lib/x.hpp", "class BudgetManager;\n")).size() == 1);
    CHECK(
        tidy::check_names(tree_of("lib/x.hpp", "std::common_type_t<A, B> c; // utils\n")).empty());
}

TEST_CASE("unfinished work and machine paths are found in any text", "[tidy]") {
    CHECK(
        tidy::check_banned_texts(tree_of("README.md", std::string("a TO") + "DO here\n")).size() ==
        1);
    CHECK(tidy::check_banned_texts(tree_of("docs/a.md", std::string("cd /wo") + "rk/x\n")).size() ==
          1);
    CHECK(tidy::check_banned_texts(tree_of("a.cpp", "mkstemp(\"/tmp/aXXXXXX\");\n")).empty());
}

TEST_CASE("a source without its licence line is found", "[tidy]") {
    CHECK(tidy::check_licence_lines(tree_of("lib/x.hpp", "#pragma once\n")).size() == 1);
    CHECK(tidy::check_licence_lines(tree_of("lib/CMakeLists.txt", "project(x)\n")).size() == 1);
    CHECK(tidy::check_licence_lines(
              tree_of("dev", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"))
              .empty());
    CHECK(tidy::check_licence_lines(tree_of("README.md", "hello\n")).empty());
}

TEST_CASE("a source that no CMakeLists.txt names is found", "[tidy]") {
    tidy::Tree tree{tidy::make_source("lib/CMakeLists.txt", "core/state.cpp\n"),
                    tidy::make_source("lib/core/state.cpp", ""),
                    tidy::make_source("lib/core/late.cpp", ""),
                    tidy::make_source("lib/core/rule.hpp", "")};
    const auto complaints = tidy::check_sources_are_built(tree);
    REQUIRE(complaints.size() == 1);
    CHECK(complaints[0] == "lib/core/late.cpp: no CMakeLists.txt names 'late.cpp'");
}

TEST_CASE("an install line that differs from ./dev is found", "[tidy]") {
    const auto dev = tidy::make_source("dev", "#!/bin/sh\npackages='\n    g++ cmake\n'\n");
    const auto count = [&](const std::string& readme) {
        return tidy::check_install_line({dev, tidy::make_source("README.md", readme)}).size();
    };
    CHECK(count("<!-- packages -->\n```\nsudo apt-get install -y \\\n    cmake g++\n```\n") == 0);
    CHECK(count("<!-- packages -->\n```\nsudo apt-get install -y cmake\n```\n") == 1);
    CHECK(count("nothing yet\n") == 0);
}
