// SPDX-License-Identifier: Apache-2.0
#include "page/browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every <unistd.h>

namespace ratecoord::testing {
namespace {

constexpr int patience_ms = 60'000;

// Above the two that Chromium reads and writes: 3 and 4.
std::array<int, 2> high_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    for (int& end : ends) {
        const int high = ::fcntl(end, F_DUPFD_CLOEXEC, 10);
        ::close(end);
        end = high;
    }
    return ends;
}

std::string decoded(const std::string& base64) {
    static const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned held = 0;
    int bits = 0;
    for (const char c : base64) {
        const auto digit = digits.find(c);
        if (digit == std::string::npos) break;
        held = (held << 6 | static_cast<unsigned>(digit)) & 0xFFFF;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(held >> bits & 0xFF);
    }
    return bytes;
}

}  // namespace

bool Browser::is_installed() {
    return std::system("command -v chromium >/dev/null 2>&1") == 0;
}

Browser::Browser() {
    auto pattern = (std::filesystem::temp_directory_path() / "ratecoord-page-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no place for a profile");
    profile_ = pattern;
    start();
}

Browser::~Browser() {
    ::close(to_);  // asks it to end
    pollfd end{.fd = from_, .events = 0, .revents = 0};
    ::poll(&end, 1, 5000);
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(from_);
    std::error_code ignored;
    std::filesystem::remove_all(profile_, ignored);
}

void Browser::start() {
    std::vector<std::string> words{"chromium",
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-quic",
                                   "--disable-dev-shm-usage",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--disable-breakpad",
                                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + profile_.string(),
                                   "about:blank"};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const auto commands = high_pipe();
    const auto replies = high_pipe();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, commands[0], 3);
    ::posix_spawn_file_actions_adddup2(&actions, replies[1], 4);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int failed =
        ::posix_spawnp(&pid_, "chromium", &actions, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(commands[0]);
    ::close(replies[1]);
    to_ = commands[1];
    from_ = replies[0];
    if (failed != 0) throw std::runtime_error("cannot start chromium");
}

Browser::Json Browser::read() {
    for (;;) {
        const auto end = pending_.find('\0');
        if (end != std::string::npos) {
            auto message = Json::parse(pending_.substr(0, end));
            pending_.erase(0, end + 1);
            return message;
        }
        pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, patience_ms) == 0) throw std::runtime_error("chromium is silent");
        std::array<char, 65536> part;
        const auto got = ::read(from_, part.data(), part.size());
        if (got == 0) throw std::runtime_error("chromium has ended");
        if (got > 0) pending_.append(part.data(), static_cast<std::size_t>(got));
    }
}

Browser::Json Browser::call(const std::string& method, Json parameters,
                            const std::string& session) {
    Json command{{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
    if (!session.empty()) command["sessionId"] = session;
    const auto text = command.dump() + '\0';
    for (std::size_t sent = 0; sent < text.size();) {
        const auto size = ::write(to_, text.data() + sent, text.size() - sent);
        if (size <= 0) throw std::runtime_error("chromium takes no commands");
        sent += static_cast<std::size_t>(size);
    }
    for (;;) {
        auto message = read();
        if (!message.contains("id")) {
            events_.push_back(std::move(message));
        } else if (message["id"] == last_id_) {
            if (message.contains("result")) return message["result"];
            throw std::runtime_error(method + ": " + message.dump());
        }
    }
}

std::vector<Browser::Json> Browser::events_of(const std::string& session) const {
    std::vector<Json> found;
    for (const auto& event : events_) {
        if (event.value("sessionId", "") == session) found.push_back(event);
    }
    return found;
}

Tab::Tab(Browser& browser) : browser_(browser) {
    const auto target = browser_.call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
    session_ = browser_.call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})
                   .at("sessionId");
    for (const std::string domain : {"Page", "Runtime", "Log", "Network"}) {
        browser_.call(domain + ".enable", Browser::Json::object(), session_);
    }
}

void Tab::set(const Look& look) {
    browser_.call("Emulation.setDeviceMetricsOverride",
                  {{"width", look.width},
                   {"height", look.height},
                   {"deviceScaleFactor", 1},
                   {"mobile", look.is_phone()}},
                  session_);
    const Browser::Json scheme{{"name", "prefers-color-scheme"},
                               {"value", look.is_dark ? "dark" : "light"}};
    browser_.call("Emulation.setEmulatedMedia", {{"features", {scheme}}}, session_);
}

void Tab::open(const std::string& url) {
    const auto done = browser_.call("Page.navigate", {{"url", url}}, session_);
    if (done.contains("errorText")) throw std::runtime_error(url + ": " + done.dump());
}

Browser::Json Tab::ask(const std::string& expression) {
    const auto reply = browser_.call(
        "Runtime.evaluate",
        {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}}, session_);
    if (reply.contains("exceptionDetails")) {
        throw std::runtime_error(expression + ": " + reply["exceptionDetails"].dump());
    }
    return reply["result"].value("value", Browser::Json());
}

std::string Tab::text_of(const std::string& selector) {
    return ask("document.querySelector(" + Browser::Json(selector).dump() + ").innerText");
}

void Tab::wait_until(const std::string& condition) {
    try {
        ask("new Promise((resolve) => {"
            "  const holds = () => { try { return Boolean(" +
            condition +
            "); } catch { return false; } };"
            "  if (holds()) return resolve();"
            "  const observer = new MutationObserver(() => {"
            "    if (holds()) { observer.disconnect(); resolve(); }"
            "  });"
            "  observer.observe(document, {subtree: true, childList: true, characterData: true,"
            "                              attributes: true});"
            "})");
    } catch (const std::exception& error) {
        throw std::runtime_error("waiting for " + condition + ": " + error.what());
    }
}

void Tab::shoot(const std::string& name, bool in_view) {
    const char* const directory = std::getenv("RATECOORD_PAGE_SHOTS");
    if (directory == nullptr) return;
    const auto shot =
        browser_.call("Page.captureScreenshot", {{"captureBeyondViewport", !in_view}}, session_);
    std::filesystem::create_directories(directory);
    std::ofstream(std::filesystem::path(directory) / (name + ".png"), std::ios::binary)
        << decoded(shot.at("data"));
}

// The answer comes after what went before it.
std::vector<Browser::Json> Tab::events() {
    ask("0");
    return browser_.events_of(session_);
}

std::vector<std::string> Tab::complaints() {
    std::vector<std::string> found;
    for (const auto& event : events()) {
        const auto& method = event["method"];
        const auto& what = event["params"];
        if (method == "Runtime.exceptionThrown") {
            found.push_back(what.dump());
        } else if (method == "Runtime.consoleAPICalled") {
            if (what["type"] == "error" || what["type"] == "warning") found.push_back(what.dump());
        } else if (method == "Log.entryAdded") {
            found.push_back(what["entry"].value("text", "") + " " + what["entry"].value("url", ""));
        }
    }
    return found;
}

std::vector<std::string> Tab::requests() {
    std::vector<std::string> urls;
    for (const auto& event : events()) {
        if (event["method"] == "Network.requestWillBeSent") {
            urls.push_back(event["params"]["request"]["url"]);
        }
    }
    return urls;
}

}  // namespace ratecoord::testing
