// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/headers.hpp>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/catch.hpp"

using namespace ratecoord;

TEST_CASE("any map of text becomes views of its own lines") {
    const std::map<std::string, std::string> sorted{{"A", "1"}, {"Retry-After", "7"}};
    const std::unordered_multimap<std::string, std::string> hashed(sorted.begin(), sorted.end());
    const std::vector<std::pair<std::string_view, std::string_view>> pairs{{"A", "1"}};
    CHECK(header_views(sorted).span().size() == 2);
    CHECK(header_views(hashed).span().size() == 2);
    const auto views = header_views(sorted);
    CHECK(views.span()[1].name.data() == std::next(sorted.begin())->first.data());
    CHECK(header_views(pairs).span()[0].value == "1");
}

TEST_CASE("of more lines than fit the first are kept, and the last Retry-After") {
    HeaderViews views;
    for (std::size_t i = 0; i < HeaderViews::most; ++i) views.add("X", "1");
    CHECK(views.left_out() == 0);
    views.add("Y", "2");
    views.add("rEtRy-aFtEr", "9");
    views.add("Z", "3");
    CHECK(views.left_out() == 3);
    REQUIRE(views.span().size() == HeaderViews::most);
    CHECK(views.span().back().value == "9");
    views.clear();
    CHECK(views.span().empty());
    CHECK(views.left_out() == 0);
}

TEST_CASE("a frame is a reply without a status") {
    const Reply frame = frame_reply(R"({"status":429})");
    CHECK(frame.status == 0);
    CHECK(frame.transport == Transport::replied);
    CHECK(frame.is_whole);
}
