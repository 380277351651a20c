// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/order_ledger.hpp>

#include <fstream>
#include <thread>

#include "retry/ledger_line.hpp"
#include "support/child_process.hpp"
#include "support/gate.hpp"
#include "support/limits.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using retry::LedgerLine;

namespace {

struct Desk {
    ScratchDirectory directory;
    std::string path = directory.path() + "/orders.ledger";

    OrderLedger open() const { return must(OrderLedger::open(path)); }
    std::string text() const {
        std::ifstream input(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(input), {}};
    }
    void write(const std::string& text) const {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    }
};

std::vector<std::string> ids_of(const std::vector<OrderLedger::Entry>& entries) {
    std::vector<std::string> ids;
    for (const auto& entry : entries) ids.push_back(entry.client_id);
    return ids;
}

}  // namespace

TEST_CASE("a ledger line that was written is read back; any other text is none") {
    const std::vector<LedgerLine> lines{
        {true, 1'700'000'000'000'000'000, 0xfedcba9876543210, "m-1", "BTCUSDT"},
        {false, 0, 0, "m-1", "placed"},
        {true, -5, 1, "%", ""},
        {true, INT64_MAX, UINT64_MAX, std::string("a b\n\0\xff%20", 9), "x\ty"}};
    for (const auto& line : lines) {
        auto text = retry::to_text(line);
        REQUIRE(text.back() == '\n');
        CHECK(std::count(text.begin(), text.end(), '\n') == 1);
        text.pop_back();
        CHECK(retry::parse_ledger_line(text) == line);
        for (std::size_t i = 0; i < text.size(); ++i) {
            CHECK_FALSE(retry::parse_ledger_line(text.substr(0, i)));
            auto changed = text;
            changed[i] = changed[i] == '7' ? '8' : '7';
            CHECK_FALSE(retry::parse_ledger_line(changed));
        }
    }
}

TEST_CASE("L1: what was begun and not ended is unsettled in the next life, in order") {
    Desk desk;
    {
        auto ledger = desk.open();
        CHECK(must(ledger.begin("b-2", "ETHUSDT", 20)));
        CHECK(must(ledger.begin("a-1", "BTCUSDT", 10)));
        CHECK(must(ledger.begin("c-3", "BTCUSDT", 30)));
        must(ledger.end("b-2", OrderState::placed));
        CHECK(ids_of(ledger.unsettled()) == std::vector<std::string>{"a-1", "c-3"});
    }
    auto next = desk.open();
    CHECK(ids_of(next.unsettled()) == std::vector<std::string>{"a-1", "c-3"});
    CHECK(next.unsettled()[0].symbol == "BTCUSDT");
    CHECK(next.unsettled()[0].begun_utc_ns == 10);
    must(next.end("a-1", OrderState::unknown));
    must(next.end("c-3", OrderState::not_placed));
    CHECK(next.unsettled().empty());
    CHECK(ids_of(next.unknown()) == std::vector<std::string>{"a-1"});
    CHECK(ids_of(desk.open().unknown()) == std::vector<std::string>{"a-1"});
}

TEST_CASE("L1: a bot killed after begin left its order behind") {
    Desk desk;
    ChildProcess bot([&] {
        auto ledger = OrderLedger::open(desk.path);
        if (!ledger || !ledger->begin("k-9", "BTCUSDT", 5)) return 1;
        ::raise(SIGKILL);
        return 2;
    });
    CHECK(bot.wait() == 128 + SIGKILL);
    CHECK(ids_of(desk.open().unsettled()) == std::vector<std::string>{"k-9"});
}

TEST_CASE(
    "L2: an id is begun once, in this life, an earlier one, or another ledger of the same file") {
    Desk desk;
    auto one = desk.open();
    auto two = desk.open();
    CHECK(must(one.begin("m-1", "", 1)));
    CHECK_FALSE(must(one.begin("m-1", "", 2)));
    CHECK_FALSE(must(two.begin("m-1", "", 3)));
    CHECK_FALSE(must(desk.open().begin("m-1", "", 4)));
    must(one.end("m-1", OrderState::rejected));
    CHECK_FALSE(must(desk.open().begin("m-1", "", 5)));
    // Nothing was sent under this one.
    CHECK(must(one.begin("m-2", "", 1)));
    must(one.end("m-2", OrderState::not_sent));
    CHECK(must(one.begin("m-2", "", 2)));
    CHECK_FALSE(must(two.begin("m-2", "", 3)));
}

TEST_CASE("L2: of eight processes that begin the same thousand ids at once, one gets each") {
    Desk desk;
    struct Wins {
        std::array<std::array<bool, 1'000>, 8> of{};
    };
    const Shared<Wins> wins;
    Gate gate;
    std::vector<ChildProcess> children;
    for (std::size_t p = 0; p < 8; ++p) {
        children.emplace_back([&, p] {
            auto ledger = OrderLedger::open(desk.path);
            if (!ledger) return 1;
            gate.arrive();
            for (std::size_t i = 0; i < 1'000; ++i) {
                const auto begun = ledger->begin("id-" + std::to_string(i), "", 1);
                if (!begun) return 2;
                wins->of[p][i] = *begun;
            }
            return 0;
        });
    }
    REQUIRE(gate.wait_for(8));
    gate.open();
    for (auto& child : children) CHECK(child.wait() == 0);
    for (std::size_t i = 0; i < 1'000; ++i) {
        int owners = 0;
        for (const auto& own : wins->of) owners += own[i] ? 1 : 0;
        CHECK(owners == 1);
    }
}

TEST_CASE("a ledger in memory serves many threads, and each id once") {
    auto ledger = OrderLedger::in_memory();
    std::atomic<int> begun{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                const auto result = ledger.begin("id-" + std::to_string(i), "", i);
                if (result && *result) ++begun;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(begun == 500);
    CHECK(ledger.size() == 500);
}

TEST_CASE("L3: a last line that a crash cut off was never begun, and the ledger goes on") {
    Desk desk;
    {
        auto ledger = desk.open();
        REQUIRE(must(ledger.begin("whole", "BTCUSDT", 1)));
    }
    const auto whole = desk.text();
    const auto torn = retry::to_text({true, 2, 3, "torn", "BTCUSDT"});
    for (std::size_t length = 1; length < torn.size(); ++length) {
        desk.write(whole + torn.substr(0, length));
        auto ledger = desk.open();
        CHECK(ids_of(ledger.unsettled()) == std::vector<std::string>{"whole"});
        CHECK(must(ledger.begin("torn", "BTCUSDT", 4)));
        CHECK(desk.open().size() == 2);
    }
}

TEST_CASE("L3: a line inside that cannot be read closes the ledger, and says where") {
    Desk desk;
    {
        auto ledger = desk.open();
        for (const char* id : {"one", "two", "three"}) REQUIRE(must(ledger.begin(id, "", 1)));
    }
    auto text = desk.text();
    const auto second = text.find('\n') + 1;
    text[second + 8] ^= 1;
    desk.write(text);
    const auto refused = OrderLedger::open(desk.path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::segment_corrupt);
    CHECK(refused.error().message == "the order ledger '" + desk.path +
                                         "' has an unreadable line at byte " +
                                         std::to_string(second));
    CHECK_FALSE(refused.error().hint.empty());
    for (const std::string& other : {std::string("hello\n"), std::string(100'000, 'x') + "\n",
                                     std::string("\0\0\n", 3), std::string("\n")}) {
        desk.write(other);
        CHECK_FALSE(OrderLedger::open(desk.path));
    }
}

TEST_CASE(
    "a ledger that cannot be kept is refused in words: no directory, a directory, a full disk") {
    Desk desk;
    CHECK_FALSE(OrderLedger::open(desk.directory.path() + "/none/orders.ledger"));
    CHECK_FALSE(OrderLedger::open(desk.directory.path()));
    auto full = OrderLedger::open("/dev/full");
    REQUIRE_FALSE(full);
    CHECK(full.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("an order that was never begun cannot end") {
    auto ledger = OrderLedger::in_memory();
    const auto refused = ledger.end("ghost", OrderState::placed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("with sync a line is on the disk before begin returns") {
    Desk desk;
    auto ledger = must(OrderLedger::open(desk.path, {.sync = true}));
    CHECK(must(ledger.begin("m-1", "BTCUSDT", 1)));
    CHECK(desk.open().size() == 1);
}
