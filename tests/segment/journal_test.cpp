// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "segment/segment.hpp"
#include "support/catch.hpp"
#include "support/ledger_budget.hpp"
#include "support/manual_clock.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using testing::create_ledger;
using testing::ScratchDirectory;

namespace {

constexpr core::Capacity small{.clients = 4, .reservations = 8, .limits = 16, .keys = 2};

}  // namespace

TEST_CASE("the journal gives the last events in order, whole") {
    const ScratchDirectory scratch;
    testing::ManualClock clock;
    const auto segment =
        create_ledger(scratch.place(), small, {.label = "md", .clock = &clock}).value();
    CHECK(segment->view().journal(10).empty());
    for (int i = 1; i <= 600; ++i) {
        clock.advance(1);
        segment->journal(Event::ban, "ban " + std::to_string(i));
    }
    const auto last = segment->view().journal(3);
    REQUIRE(last.size() == 3);
    CHECK(last[2].text == "ban 600");
    CHECK(last[0].text == "ban 598");
    CHECK(last[2].at == clock.boot());
    CHECK(last[2].event == Event::ban);
    CHECK(last[2].label == "md");
    CHECK(last[2].slot == segment->slot().index);
    CHECK(segment->view().journal(10'000).size() == journal_entries);
}

TEST_CASE("text beyond what an entry holds is cut") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    segment->journal(Event::note, std::string(500, 'x'));
    CHECK(segment->view().journal(1).at(0).text == std::string(Journal::text_bytes_max, 'x'));
}

TEST_CASE("an entry that was half written is left out") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    segment->journal(Event::note, "one");
    segment->journal(Event::note, "two");
    const auto mapping = map_file(scratch.place(), Access::read_write).value();
    auto* second = mapping.base() + mapping.geometry.journal + 2 * sizeof(JournalRecord);
    second[offsetof(JournalRecord, text)] ^= std::byte{1};
    const auto entries = segment->view().journal(10);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].text == "one");
}

TEST_CASE("writers that overtake each other never leave an entry that is a mixture") {
    const ScratchDirectory scratch;
    const auto segment = create_ledger(scratch.place(), small).value();
    std::atomic<int> writing{3};
    std::vector<std::thread> writers;
    for (char letter : {'a', 'b', 'c'}) {
        writers.emplace_back([&, letter] {
            for (int i = 0; i < 2'000; ++i) segment->journal(Event::note, std::string(60, letter));
            --writing;
        });
    }
    int mixtures = 0;
    while (writing > 0) {
        for (const auto& entry : segment->view().journal(journal_entries)) {
            if (entry.text != std::string(60, entry.text[0])) ++mixtures;
        }
    }
    for (auto& writer : writers) writer.join();
    CHECK(mixtures == 0);
}
