// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "segment/layout.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;

namespace {

// The numbers of docs/segment-format.md. A change here is a new format version.
const char* const golden = R"(header 424: magic 0 format_version 8 byte_order 12 total_bytes 16
  header_bytes 24 clients 28 reservations 32 limits 36 keys 40 state_head_bytes 44
  budget_counters 88 uid 92 gid 96 mode 100 boot_id 104 time_namespace 120 created_boot 128
  created_utc 136 segment_id 144 state_directory 160 checksum 416
control 640: root 0 lock 128 epoch 256 definitions_holder 384 journal_next 512
client 144: generation 0 in_use 4 freed_at 8 attached_at 16 pid_namespace 24 pid 32 uid 36
  label 40 counters 72
key name 72: name 0 dimension 48 generation 64 in_use 68
journal 128: sequence 0 at 8 kind 16 slot 20 label 24 text 56 checksum 120
buffer head 16: checksum 0 version 8
limit 96 state head 208 cell 96 key 32 entry 96
defaults: control 512 clients 1152 budget_counters 20352 limit_counters 20480 key_names 156672
  definitions 161280 167424 journal 173568 states 208896 buffer 69888 total 18870272
  in a state: cells 208 keys 18640 entries 20688 bytes 69840
)";

#define AT(type, member) " " #member " " << offsetof(type, member)

std::string measured() {
    std::ostringstream out;
    out << "header " << sizeof(Header) << ":" << AT(Header, magic) << AT(Header, format_version)
        << AT(Header, byte_order) << AT(Header, total_bytes) << "\n " << AT(Header, header_bytes)
        << AT(Header, clients) << AT(Header, reservations) << AT(Header, limits) << AT(Header, keys)
        << AT(Header, state_head_bytes) << "\n " << AT(Header, budget_counters) << AT(Header, uid)
        << AT(Header, gid) << AT(Header, mode) << AT(Header, boot_id) << AT(Header, time_namespace)
        << AT(Header, created_boot) << "\n " << AT(Header, created_utc) << AT(Header, segment_id)
        << AT(Header, state_directory) << AT(Header, checksum) << "\n";
    out << "control " << sizeof(Control) << ":" << AT(Control, root) << AT(Control, lock)
        << AT(Control, epoch) << AT(Control, definitions_holder) << AT(Control, journal_next)
        << "\n";
    out << "client " << sizeof(ClientRecord) << ":" << AT(ClientRecord, generation)
        << AT(ClientRecord, in_use) << AT(ClientRecord, freed_at) << AT(ClientRecord, attached_at)
        << AT(ClientRecord, pid_namespace) << AT(ClientRecord, pid) << AT(ClientRecord, uid)
        << "\n " << AT(ClientRecord, label) << AT(ClientRecord, counters) << "\n";
    out << "key name " << sizeof(KeyName) << ":" << AT(KeyName, name) << AT(KeyName, dimension)
        << AT(KeyName, generation) << AT(KeyName, in_use) << "\n";
    out << "journal " << sizeof(JournalRecord) << ":" << AT(JournalRecord, sequence)
        << AT(JournalRecord, at) << AT(JournalRecord, kind) << AT(JournalRecord, slot)
        << AT(JournalRecord, label) << AT(JournalRecord, text) << AT(JournalRecord, checksum)
        << "\n";
    out << "buffer head " << sizeof(BufferHead) << ":" << AT(BufferHead, checksum)
        << AT(BufferHead, version) << "\n";
    out << "limit " << sizeof(core::LimitRecord) << " state head " << sizeof(core::StateHead)
        << " cell " << sizeof(core::Cell) << " key " << sizeof(core::Key) << " entry "
        << sizeof(core::Entry) << "\n";
    const auto g = Geometry::of({});
    out << "defaults: control " << g.control << " clients " << g.clients << " budget_counters "
        << g.budget_counters << " limit_counters " << g.limit_counters << " key_names "
        << g.key_names << "\n  definitions " << g.definitions[0] << " " << g.definitions[1]
        << " journal " << g.journal << " states " << g.states << " buffer " << g.buffer_bytes
        << " total " << g.total << "\n";
    out << "  in a state: cells " << g.state.cells << " keys " << g.state.keys << " entries "
        << g.state.entries << " bytes " << g.state.bytes << "\n";
    return out.str();
}

}  // namespace

TEST_CASE("the layout is the documented one") {
    CHECK(measured() == golden);
}

TEST_CASE("every section begins where the one before it ends, for odd capacities too") {
    for (const core::Capacity capacity :
         {core::Capacity{}, core::Capacity{1, 1, 1, 1}, core::Capacity{3, 7, 5, 9},
          core::Capacity{clients_max, 64, 3, 5}, core::Capacity{2, reservations_max, 32, 64}}) {
        const auto g = Geometry::of(capacity);
        CHECK(g.control >= sizeof(Header));
        CHECK(g.clients >= g.control + sizeof(Control));
        CHECK(g.budget_counters >= g.clients + g.slots * sizeof(ClientRecord));
        CHECK(g.key_names >= g.limit_counters + std::uint64_t{g.slots} * capacity.limits * 32);
        CHECK(g.definitions[0] >= g.key_names + capacity.keys * sizeof(KeyName));
        CHECK(g.journal >= g.definitions[1] + g.definitions_bytes());
        CHECK(g.states >= g.journal + journal_entries * sizeof(JournalRecord));
        CHECK(g.buffer_bytes >= sizeof(BufferHead) + g.state.bytes);
        CHECK(g.total >= g.buffer(g.buffers));
        for (const auto offset : {g.control, g.clients, g.limit_counters, g.key_names,
                                  g.definitions[0], g.definitions[1], g.journal, g.states}) {
            CHECK(offset % 8 == 0);
        }
        CHECK(segment_bytes(capacity) == g.total);
    }
}

TEST_CASE("an impossible capacity is refused, naming the value") {
    CHECK(refusal({}).empty());
    CHECK(refusal({.clients = 0}).find("0 clients") != std::string::npos);
    CHECK(refusal({.reservations = 0}).find("0 reservations") != std::string::npos);
    CHECK(refusal({.clients = 100'000}).find("100000 clients") != std::string::npos);
    CHECK(refusal({.clients = clients_max, .reservations = reservations_max}).find("bytes") !=
          std::string::npos);
}
