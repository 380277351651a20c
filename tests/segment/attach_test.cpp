// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::ChildProcess;
using testing::create_ledger;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 2, .reservations = 8, .limits = 16, .keys = 2};

void check_refused(const Place& place, ErrorCode code, const std::string& reason) {
    const auto attached = Segment::attach(place, {.label = "x"});
    REQUIRE_FALSE(attached);
    INFO(attached.error().message);
    CHECK(attached.error().code == code);
    CHECK(attached.error().message.find(place.path()) != std::string::npos);
    CHECK(attached.error().message.find(reason) != std::string::npos);
    CHECK(attached.error().message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("C11, C25: what is no regular file of the right mode is refused by what was opened") {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    const auto path = place.path();
    SECTION("symbolic link to a segment") {
        REQUIRE(create_ledger(scratch.place("real"), small));
        REQUIRE(::symlink(scratch.place("real").path().c_str(), path.c_str()) == 0);
        check_refused(place, ErrorCode::segment_corrupt, "symbolic link");
    }
    SECTION("dangling symbolic link") {
        REQUIRE(::symlink("/nowhere", path.c_str()) == 0);
        check_refused(place, ErrorCode::segment_corrupt, "symbolic link");
        const auto created = create_ledger(place, small);
        REQUIRE_FALSE(created);
        CHECK(created.error().code == ErrorCode::already_exists);
    }
    SECTION("FIFO") {
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        check_refused(place, ErrorCode::segment_corrupt, "not a regular file");
    }
    SECTION("directory") {
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        check_refused(place, ErrorCode::segment_corrupt, "directory");
    }
    SECTION("device") {
        if (::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
            WARN("not run: mknod is not allowed here");
            return;
        }
        check_refused(place, ErrorCode::segment_corrupt, "regular file");
    }
    SECTION("hard link") {
        REQUIRE(create_ledger(place, small));
        REQUIRE(::link(path.c_str(), (scratch.path() + "/second").c_str()) == 0);
        check_refused(place, ErrorCode::segment_corrupt, "2 names");
    }
    SECTION("mode with bits for others") {
        REQUIRE(create_ledger(place, small));
        for (const mode_t mode : {0644, 0666, 0604, 0640, 0700, 04600}) {
            REQUIRE(::chmod(path.c_str(), mode) == 0);
            check_refused(place, ErrorCode::permission_denied, "has mode");
        }
    }
}

TEST_CASE("C11: another user's segment is refused naming owner and mode") {
    if (::geteuid() != 0) {
        WARN("not run: needs root to make another user's segment");
        return;
    }
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    REQUIRE(create_ledger(place, small));
    REQUIRE(::chmod(scratch.path().c_str(), 0755) == 0);
    ChildProcess other([&] {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 3;
        const auto attached = Segment::attach(place, {.label = "x"});
        if (attached) return 1;
        const auto& error = attached.error();
        return error.code == ErrorCode::permission_denied &&
                       error.message.find("uid 0 with mode 0600") != std::string::npos
                   ? 0
                   : 2;
    });
    CHECK(other.wait() == 0);
}

TEST_CASE("C13: mode and group are what was asked for, whatever the umask, and members can join") {
    if (::geteuid() != 0) {
        WARN("not run: needs root to become other users");
        return;
    }
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    REQUIRE(::chmod(scratch.path().c_str(), 0755) == 0);
    const auto before = ::umask(077);
    const auto records = testing::ledger_definitions();
    CreateOptions options;
    options.capacity = small;
    options.group = 4711;
    options.definitions = records;
    options.fill = testing::open_ledger;
    const auto created = create_file(place, options);
    CHECK(::umask(before) == 077);
    REQUIRE(created);
    struct stat status {};
    REQUIRE(::stat(place.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0660);
    CHECK(status.st_gid == 4711);
    const auto attach_as = [&](uid_t uid, gid_t supplementary) {
        return ChildProcess([&] {
                   if (::setgroups(1, &supplementary) != 0 || ::setgid(uid) != 0 ||
                       ::setuid(uid) != 0) {
                       return 3;
                   }
                   const auto attached = Segment::attach(place, {.label = "member"});
                   if (!attached)
                       return attached.error().code == ErrorCode::permission_denied ? 1 : 2;
                   return testing::draw(**attached, 0).ok() ? 0 : 4;
               })
            .wait();
    };
    CHECK(attach_as(60001, 4711) == 0);
    CHECK(attach_as(60002, 4711) == 0);
    CHECK(attach_as(60003, 60003) == 1);
}

TEST_CASE("C25: creating twice, or with another size, never changes what exists") {
    const ScratchDirectory scratch;
    const auto place = scratch.place();
    const auto first = create_ledger(place, {.clients = 4, .reservations = 64, .limits = 16});
    REQUIRE(first);
    const auto size = std::filesystem::file_size(place.path());
    for (const std::uint32_t reservations : {8U, 64U, 128U}) {
        const auto second =
            create_ledger(place, {.clients = 4, .reservations = reservations, .limits = 16});
        REQUIRE_FALSE(second);
        CHECK(second.error().code == ErrorCode::already_exists);
        CHECK(std::filesystem::file_size(place.path()) == size);
        CHECK(testing::draw(**first, 0).ok());
    }
    CHECK(scratch.entries() == 1);
}

TEST_CASE("a file system without O_TMPFILE is served by a hidden name and one rename") {
    const ScratchDirectory scratch;
    const auto records = testing::ledger_definitions();
    CreateOptions options;
    options.capacity = small;
    options.definitions = records;
    options.fill = testing::open_ledger;
    REQUIRE(create_file_by_rename(scratch.place(), options));
    CHECK(scratch.entries() == 1);
    const auto attached = Segment::attach(scratch.place(), {.label = "x"});
    REQUIRE(attached);
    CHECK(testing::draw(**attached, 0).ok());
    const auto again = create_file_by_rename(scratch.place(), options);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::already_exists);
    CHECK(scratch.entries() == 1);
}

TEST_CASE("an observer needs no slot, takes no lock and sees what clients do") {
    const ScratchDirectory scratch;
    const auto segment =
        create_ledger(scratch.place(), {.clients = 1, .reservations = 4, .limits = 16});
    REQUIRE(segment);
    REQUIRE_FALSE(Segment::attach(scratch.place(), {.label = "second"}));
    const auto observer = Observer::open(scratch.place());
    REQUIRE(observer);
    for (std::uint64_t drawn = 1; drawn <= 5; ++drawn) {
        REQUIRE(testing::draw(**segment, 3).published);
        const auto ledger = testing::read_ledger(observer->view());
        REQUIRE(ledger);
        CHECK(ledger->adds_up);
        CHECK(ledger->lines[3] == drawn);
    }
    REQUIRE(observer->view().clients().size() == 1);
    CHECK(observer->view().clients()[0].alive);
    CHECK(observer->view().clients()[0].label == "creator");
    CHECK(observer->view().clients()[0].pid == ::getpid());
    CHECK(observer->view().id().size() == 32);
}
