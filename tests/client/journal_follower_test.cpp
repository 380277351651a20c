// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/journal_follower.hpp>

#include "support/catch.hpp"

using namespace ratecoord;

namespace {

// A page of the segment `id` with these sequences; the ring holds 256.
JournalPage page(const char* id, std::uint64_t next, std::vector<std::uint64_t> sequences) {
    JournalPage result;
    result.segment_id = id;
    result.next = next;
    result.oldest = next > 256 ? next - 256 : 1;
    for (const auto sequence : sequences) {
        result.entries.emplace_back().sequence = sequence;
    }
    return result;
}

std::string given(const JournalFollower::News& news) {
    std::string text;
    for (const auto& entry : news.entries) text += std::to_string(entry.sequence) + " ";
    return text;
}

}  // namespace

TEST_CASE("the follower begins with the last events and gives each once") {
    JournalFollower follower(2);
    CHECK(given(follower.take(page("a", 5, {1, 2, 3, 4}))) == "3 4 ");
    CHECK(given(follower.take(page("a", 5, {1, 2, 3, 4}))).empty());
    CHECK(given(follower.take(page("a", 7, {1, 2, 3, 4, 5, 6}))) == "5 6 ");
    JournalFollower none(0);
    CHECK(given(none.take(page("a", 5, {1, 2, 3, 4}))).empty());
    CHECK(given(none.take(page("a", 6, {1, 2, 3, 4, 5}))) == "5 ");
}

TEST_CASE("events that were overwritten are counted, those from before are not") {
    JournalFollower follower(10);
    CHECK(follower.take(page("a", 1000, {998, 999})).overwritten == 0);
    const auto news = follower.take(page("a", 1268, {1012, 1013}));
    CHECK(news.overwritten == 12);
    CHECK(given(news) == "1012 1013 ");
}

TEST_CASE("an event that is still being written is waited for, and given in order") {
    JournalFollower follower(10);
    follower.take(page("a", 2, {1}));
    for (int i = 0; i < JournalFollower::patience; ++i) {
        CHECK(given(follower.take(page("a", 4, {1, 3}))).empty());
    }
    const auto filled = follower.take(page("a", 4, {1, 2, 3}));
    CHECK(given(filled) == "2 3 ");
    CHECK(filled.unfinished == 0);
}

TEST_CASE("a gap that nobody fills is given up and told") {
    JournalFollower follower(10);
    follower.take(page("a", 2, {1}));
    for (int i = 0; i < JournalFollower::patience; ++i) follower.take(page("a", 4, {1, 3}));
    const auto news = follower.take(page("a", 4, {1, 3}));
    CHECK(given(news) == "3 ");
    CHECK(news.unfinished == 1);
}

TEST_CASE("a budget made anew is followed from its first event") {
    JournalFollower follower(10);
    CHECK_FALSE(follower.take(page("a", 50, {48, 49})).made_anew);
    const auto news = follower.take(page("b", 3, {1, 2}));
    CHECK(news.made_anew);
    CHECK(given(news) == "1 2 ");
    CHECK(news.overwritten == 0);
}
