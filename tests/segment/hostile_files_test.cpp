// SPDX-License-Identifier: Apache-2.0
//
// Files that stand in a segment's place and are none, or none of ours.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 2, .reservations = 8, .limits = 16, .keys = 2};

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes, mode_t mode = 0600) {
    const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, mode);
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::fchmod(fd, mode);
    ::close(fd);
}

/// A valid segment's bytes.
std::string sample() {
    const ScratchDirectory scratch;
    REQUIRE(create_ledger(scratch.place(), small));
    return read_file(scratch.place().path());
}

struct Hostile {
    std::string what;
    std::function<std::string(std::string)> change;
    ErrorCode code;
    std::string reason;
};

// Not inlined: g++ 12 takes the copied string for an empty one and warns of writing beyond it.
template <class T>
[[gnu::noinline]] void put(std::string& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void reseal(std::string& bytes) {
    Header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    seal(header);
    std::memcpy(bytes.data(), &header, sizeof header);
}

std::string random_bytes(std::size_t size) {
    std::mt19937 random(7);
    std::string bytes(size, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    return bytes;
}

const std::vector<Hostile>& wrong_bytes() {
    using S = std::string;
    static const std::vector<Hostile> table{
        {"zero bytes long", [](S) { return S(); }, ErrorCode::segment_corrupt, "0 bytes long"},
        {"one byte", [](S) { return S(1, 'x'); }, ErrorCode::segment_corrupt, "1 bytes long"},
        {"4095 bytes", [](S s) { return s.substr(0, 4095); }, ErrorCode::segment_corrupt, "4095"},
        {"a byte short", [](S s) { return s.substr(0, s.size() - 1); }, ErrorCode::segment_corrupt,
         "bytes long"},
        {"cut in half", [](S s) { return s.substr(0, s.size() / 2); }, ErrorCode::segment_corrupt,
         "bytes long"},
        {"a byte longer", [](S s) { return s + 'x'; }, ErrorCode::segment_corrupt, "bytes long"},
        {"all zero", [](S s) { return S(s.size(), '\0'); }, ErrorCode::segment_corrupt,
         "not a ratecoord segment"},
        {"all 0xff", [](S s) { return S(s.size(), '\xff'); }, ErrorCode::segment_corrupt,
         "not a ratecoord segment"},
        {"random", [](S s) { return random_bytes(s.size()); }, ErrorCode::segment_corrupt,
         "not a ratecoord segment"},
    };
    return table;
}

const std::vector<Hostile>& wrong_formats() {
    using S = std::string;
    static const std::vector<Hostile> table{
        {"byte-swapped",
         [](S s) {
             std::reverse(s.begin() + 8, s.begin() + 12);
             std::reverse(s.begin() + 12, s.begin() + 16);
             return s;
         },
         ErrorCode::version_mismatch, "byte order"},
        {"format version + 1",
         [](S s) {
             put(s, offsetof(Header, format_version), format_version + 1);
             return s;
         },
         ErrorCode::version_mismatch, "format version 2; this build uses 1"},
        {"format version - 1",
         [](S s) {
             put(s, offsetof(Header, format_version), format_version - 1);
             return s;
         },
         ErrorCode::version_mismatch, "format version 0; this build uses 1"},
        {"another layout",
         [](S s) {
             put(s, offsetof(Header, cell_bytes), std::uint32_t{88});
             return s;
         },
         ErrorCode::version_mismatch, "cells of bytes 88; this build uses 96"},
    };
    return table;
}

const std::vector<Hostile>& wrong_values() {
    using S = std::string;
    static const std::vector<Hostile> table{
        {"more clients than fit",
         [](S s) {
             put(s, offsetof(Header, clients), std::uint32_t{64});
             reseal(s);
             return s;
         },
         ErrorCode::segment_corrupt, "its counts need"},
        {"impossible counts",
         [](S s) {
             put(s, offsetof(Header, keys), std::uint32_t{0xffffffff});
             reseal(s);
             return s;
         },
         ErrorCode::segment_corrupt, "4294967295 keys"},
        {"a flipped bit in the header",
         [](S s) {
             put(s, offsetof(Header, state_directory) + 3, '?');
             return s;
         },
         ErrorCode::segment_corrupt, "checksum"},
        {"another boot",
         [](S s) {
             s[offsetof(Header, boot_id)] ^= 1;
             reseal(s);
             return s;
         },
         ErrorCode::version_mismatch, "another boot"},
        {"another time namespace",
         [](S s) {
             put(s, offsetof(Header, time_namespace), std::uint64_t{4242});
             reseal(s);
             return s;
         },
         ErrorCode::version_mismatch, "time namespace 4242"},
        {"another state directory",
         [](S s) {
             put(s, offsetof(Header, state_directory), std::array{'/', 'x', '\0'});
             reseal(s);
             return s;
         },
         ErrorCode::refused, "saves its stops in /x"},
    };
    return table;
}

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

TEST_CASE(
    "G7, C03, C22: a file that is not our segment is refused with the reason and left as it is") {
    const auto valid = sample();
    const auto table = GENERATE(&wrong_bytes, &wrong_formats, &wrong_values);
    for (const auto& row : table()) {
        const ScratchDirectory scratch;
        const auto place = scratch.place();
        auto original = valid;
        // The sample recorded the state directory of its own scratch; give it this one's.
        std::memset(original.data() + offsetof(Header, state_directory), 0, state_directory_bytes);
        std::memcpy(original.data() + offsetof(Header, state_directory),
                    place.state_directory.data(), place.state_directory.size());
        reseal(original);
        INFO(row.what);
        const auto bytes = row.change(original);
        write_file(place.path(), bytes);
        check_refused(place, row.code, row.reason);
        if (row.code != ErrorCode::refused) CHECK_FALSE(Observer::open(place));
        CHECK(read_file(place.path()) == bytes);
    }
}
