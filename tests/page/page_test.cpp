// SPDX-License-Identifier: Apache-2.0
//
// The live page in a real browser, of a real daemon. With $RATECOORD_PAGE_SHOTS it leaves pictures to be
// looked at; what can be told without eyes is checked here.
#include "page/browser.hpp"
#include "page/exhibition.hpp"
#include "support/catch.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
using namespace std::chrono_literals;

namespace {

constexpr Look desktop{1280, 900, false};
constexpr Look phone{390, 844, false};
constexpr Look dark{1280, 900, true};
constexpr Look dark_phone{390, 844, true};

bool is_skipped() {
    if (Browser::is_installed()) return false;
    WARN("not checked: there is no chromium");
    return true;
}

// Text against the ground that is behind it: WCAG asks for 4.5.
const std::string faint_texts = R"js((() => {
    const light = (color) => {
        const linear = color.match(/[\d.]+/g).slice(0, 3).map((part) => {
            const share = Number(part) / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const ground = (part) => {
        for (; part; part = part.parentElement) {
            const color = getComputedStyle(part).backgroundColor;
            if (color !== "rgba(0, 0, 0, 0)") return color;
        }
        return "rgb(255, 255, 255)";
    };
    const faint = [];
    for (const part of document.querySelectorAll("body *")) {
        if (![...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
        const pair = [light(getComputedStyle(part).color), light(ground(part))];
        const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        if (contrast < 4.5) faint.push(part.className + " " + part.textContent + " " + contrast);
    }
    return faint.join("; ");
})())js";

const std::string is_live =
    "document.getElementById('status').textContent === 'live' &&"
    "document.getElementById('gone').hidden";

void check_own_requests_only(Tab& tab, const Exhibition& shown) {
    const auto requests = tab.requests();
    CHECK(requests.size() >= 5);  // the page, its script and style, what is, and what becomes
    for (const auto& url : requests) {
        INFO(url);
        CHECK((url.starts_with(shown.url("/")) || url.starts_with("data:")));
    }
}

}  // namespace

TEST_CASE("the page shows each budget's state, worst first, in every look", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    shown.fill(60);
    Browser browser;
    Tab tab(browser);
    tab.set(desktop);
    tab.open(shown.url("/"));
    tab.wait_until(is_live + " && document.querySelectorAll('article').length === 5");
    CHECK(tab.ask("[...document.querySelectorAll('nav a')].map((a) => a.innerText.replace(/\\s+/g, "
                  "' ')).join(', ')") ==
          "kraken banned, bybit paused, okx halted, deribit empty, binance busy");
    CHECK(tab.text_of("#budget-kraken .notes").find("Banned: 2 d 23 h ") == 0);
    CHECK(tab.text_of("#budget-bybit .notes").find("Paused by hand: ") == 0);
    CHECK(tab.text_of("#budget-okx .notes").find("Halted") == 0);
    CHECK(tab.text_of("#budget-deribit .facts").find("free now 0") == 0);
    CHECK(tab.ask("document.title") == "(3) ratecoord");
    const std::pair<std::string, Look> looks[] = {
        {"desktop", desktop}, {"dark", dark}, {"phone", phone}, {"phone-dark", dark_phone}};
    for (const auto& [name, look] : looks) {
        INFO(name);
        tab.set(look);
        CHECK(tab.ask("innerWidth") == look.width);
        CHECK(tab.ask("document.documentElement.scrollWidth <= innerWidth") == true);
        CHECK(tab.ask("getComputedStyle(document.body).backgroundColor") ==
              (look.is_dark ? "rgb(17, 21, 26)" : "rgb(245, 246, 248)"));
        CHECK(tab.ask(faint_texts) == "");
        tab.shoot(name);
        for (const std::string budget : {"kraken", "deribit", "binance"}) {
            tab.ask("document.getElementById('budget-" + budget + "').scrollIntoView()");
            tab.shoot(budget + "-" + name, true);
        }
    }
    CHECK(tab.complaints() == std::vector<std::string>{});
    check_own_requests_only(tab, shown);
}

TEST_CASE("the countdown of a ban runs by itself, to the instant that holds", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    shown.fill();
    Browser browser;
    Tab tab(browser);
    tab.open(shown.url("/#budget-kraken"));
    tab.wait_until(is_live + " && document.querySelector('#budget-kraken .count').innerText");
    const auto snapshot = read_snapshot("kraken").value();
    const auto until =
        (snapshot.pause_until.at(static_cast<std::size_t>(PauseKind::ban)) + snapshot.utc_offset) /
        1'000'000;
    const auto shown_until =
        tab.ask("Number(document.querySelector('#budget-kraken .count').dataset.until)");
    CHECK(std::abs(shown_until.get<std::int64_t>() - until) <= 1);
    shown.stop();  // nobody tells the page anything any more
    const auto before = tab.text_of("#budget-kraken .count");
    tab.wait_until("document.querySelector('#budget-kraken .count').innerText !== '" + before +
                   "'");
}

TEST_CASE("what bots write is shown as text, never as markup", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    shown.fill();
    Browser browser;
    Tab tab(browser);
    tab.open(shown.url("/"));
    tab.wait_until(is_live + " && document.querySelectorAll('article').length === 5");
    CHECK(tab.text_of("#budget-bybit .journal").find(Exhibition::hostile) != std::string::npos);
    CHECK(tab.text_of("#budget-binance .limits").find(Exhibition::hostile) != std::string::npos);
    CHECK(tab.ask("document.querySelectorAll('main :is(img, script, b.x, iframe)').length") == 0);
    CHECK(tab.ask("document.scripts.length") == 1);
    CHECK(tab.complaints() == std::vector<std::string>{});
}

TEST_CASE("the page may ask nobody but its daemon, even if it wanted to", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    Exhibition::Stranger stranger;
    Browser browser;
    Tab tab(browser);
    tab.open(shown.url("/"));
    tab.wait_until(is_live);
    CHECK(tab.ask("fetch('" + stranger.url() + "').then(() => 'sent', () => 'refused')") ==
          "refused");
    CHECK(tab.ask(
              "new Promise((end) => {"
              "  document.addEventListener('securitypolicyviolation',"
              "                            (event) => end(event.effectiveDirective), {once: true});"
              "  new Image().src = '" +
              stranger.url() +
              "';"
              "})") == "img-src");
    CHECK_FALSE(stranger.was_called());
}

TEST_CASE("a host without budgets is told what would make one appear", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown(Exhibition::Budgets::none);
    Browser browser;
    Tab tab(browser);
    for (const auto& [name, look] :
         {std::pair("nothing", desktop), std::pair("nothing-dark-phone", dark_phone)}) {
        tab.set(look);
        tab.open(shown.url("/"));
        tab.wait_until(is_live + " && !document.getElementById('nothing').hidden");
        CHECK(tab.text_of("#nothing").find("coordinatord.toml") != std::string::npos);
        CHECK(tab.ask(faint_texts) == "");
        tab.shoot(name, true);
    }
    CHECK(tab.complaints() == std::vector<std::string>{});
}

TEST_CASE("the page outlives its daemon: it says so, and is live again without being loaded anew",
          "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    shown.fill();
    Browser browser;
    Tab tab(browser);
    tab.set(desktop);
    tab.open(shown.url("/"));
    tab.wait_until(is_live + " && document.querySelectorAll('article').length === 5");
    tab.ask("window.is_same_load = true");
    for (int restarts = 0; restarts < 2; ++restarts) {
        shown.stop(restarts == 0 ? SIGTERM : SIGKILL);
        tab.wait_until("!document.getElementById('gone').hidden");
        CHECK(tab.text_of("#gone").find("what is below is old") != std::string::npos);
        CHECK(tab.ask("document.querySelectorAll('article').length") == 5);
        tab.shoot("gone", true);
        shown.start();
        tab.wait_until(is_live);
        CHECK(tab.ask("window.is_same_load") == true);
        const auto granted = shown.draw_more();
        tab.wait_until(
            "document.querySelector('#budget-binance .limits').innerText.includes('granted " +
            std::to_string(granted) + " units')");
    }
    // Where nobody listened the browser says so; nothing else may be said.
    for (const auto& complaint : tab.complaints()) {
        INFO(complaint);
        CHECK(complaint.starts_with("Failed to load resource: net::ERR_"));
    }
    check_own_requests_only(tab, shown);
}

TEST_CASE("one viewer too many has no events, and is kept current by asking", "[.][page]") {
    if (is_skipped()) return;
    Exhibition shown;
    shown.fill();
    const auto others = shown.let_viewers_in(16);
    Browser browser;
    Tab tab(browser);
    tab.open(shown.url("/"));
    tab.wait_until("document.querySelectorAll('article').length === 5");
    const auto granted = shown.draw_more();
    tab.wait_until(
        "document.querySelector('#budget-binance .limits').innerText.includes('granted " +
        std::to_string(granted) + " units')");
    CHECK(tab.ask("document.getElementById('gone').hidden") == true);
}
