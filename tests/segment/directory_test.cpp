// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "segment/directory.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using ratecoord::testing::ScratchDirectory;

TEST_CASE("C27: a name that cannot be a budget's is refused with the reason, and nothing is made") {
    const ScratchDirectory scratch;
    struct Row {
        std::string name;
        std::string reason;
    };
    for (const auto& [name, reason] : {
             Row{"", "empty"},
             Row{"a/b", "slash"},
             Row{"/etc/passwd", "must begin with a letter or a digit"},
             Row{"..", "must begin with a letter or a digit"},
             Row{".hidden", "must begin with a letter or a digit"},
             Row{"-flag", "must begin with a letter or a digit"},
             Row{std::string(255, 'a'), "255 bytes is longer than 200"},
             Row{std::string(256, 'a'), "256 bytes is longer than 200"},
             Row{"b\xc3\xb6rse", "ASCII"},
             Row{"two words", "something else"},
             Row{std::string("a\0b", 3), "something else"},
         }) {
        const auto place = place_of(name);
        REQUIRE_FALSE(place);
        CHECK(place.error().code == ErrorCode::invalid_argument);
        CHECK(place.error().message.find(reason) != std::string::npos);
    }
    CHECK(scratch.entries() == 0);
}

TEST_CASE("C27: names of every allowed character work, up to the longest") {
    const ScratchDirectory scratch;
    for (const auto& name : {std::string("snap.bot.binance_spot-1"), std::string("7"),
                             std::string(name_bytes_max, 'z')}) {
        const auto segment = testing::create_ledger(scratch.place(name), {2, 4, 16, 1});
        REQUIRE(segment);
        CHECK((*segment)->view().is_linked());
    }
    const auto found = list();
    REQUIRE(found);
    CHECK(found->size() == 3);
}

TEST_CASE("the directory chosen is the only one: one that cannot be used is an error") {
    const ScratchDirectory scratch;
    ::setenv("RATECOORD_DIR", (scratch.path() + "/missing").c_str(), 1);
    const auto place = place_of("a");
    REQUIRE(place);
    const auto created = testing::create_ledger(*place);
    REQUIRE_FALSE(created);
    CHECK(created.error().message.find("/missing") != std::string::npos);
    const auto attached = Segment::attach(*place, {.label = "x"});
    REQUIRE_FALSE(attached);
    CHECK(attached.error().code == ErrorCode::no_such_budget);
    CHECK_FALSE(list());

    ::setenv("RATECOORD_DIR", "relative", 1);
    REQUIRE_FALSE(place_of("a"));
    CHECK(place_of("a").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("where nothing is set, the user's id is part of the name in /dev/shm") {
    if (std::filesystem::exists("/run/ratecoord")) {
        WARN("not run: /run/ratecoord exists on this host");
        return;
    }
    ::unsetenv("RATECOORD_DIR");
    ::setenv("XDG_STATE_HOME", "/somewhere/state", 1);
    const auto place = place_of("spot");
    ::unsetenv("XDG_STATE_HOME");
    REQUIRE(place);
    CHECK(place->path() == "/dev/shm/ratecoord-" + std::to_string(::geteuid()) + "-spot.budget");
    CHECK(place->state_directory == "/somewhere/state/ratecoord");
}

TEST_CASE("list shows budgets by name and nothing else") {
    const ScratchDirectory scratch;
    std::ofstream(scratch.path() + "/notes.txt") << "x";
    std::ofstream(scratch.path() + "/.hidden.budget") << "x";
    for (const auto* name : {"b", "a", "c"}) {
        REQUIRE(testing::create_ledger(scratch.place(name), {1, 1, 16, 1}));
    }
    const auto found = list();
    REQUIRE(found);
    REQUIRE(found->size() == 3);
    CHECK((*found)[0].place.name == "a");
    CHECK((*found)[2].place.path() == scratch.place("c").path());
    CHECK((*found)[0].uid == ::geteuid());
}
