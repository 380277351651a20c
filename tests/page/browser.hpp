// SPDX-License-Identifier: Apache-2.0
//
// A Chromium without a window, led over its pipe: neither a driver nor a port of its own.
//
// PROMISE  Nothing but 127.0.0.1 has an address for it. It waits for what the page does, never for a
//          while, and fails where nothing is said for a minute. Its processes and its profile go with it.
// SHARING  One thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratecoord::testing {

class Browser {
  public:
    using Json = nlohmann::json;

    static bool is_installed();

    Browser();
    ~Browser();
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    /// The result of a DevTools command; events that come before it are kept.
    Json call(const std::string& method, Json parameters = Json::object(),
              const std::string& session = {});
    /// What was heard of a session so far: {"method", "params", ...}.
    std::vector<Json> events_of(const std::string& session) const;

  private:
    void start();
    Json read();

    std::filesystem::path profile_;
    pid_t pid_ = -1;
    int to_ = -1;
    int from_ = -1;
    int last_id_ = 0;
    std::string pending_;
    std::vector<Json> events_;
};

struct Look {
    int width = 1280;
    int height = 900;
    bool is_dark = false;
    bool is_phone() const { return width < 500; }
};

class Tab {
  public:
    explicit Tab(Browser& browser);

    void set(const Look& look);
    void open(const std::string& url);
    /// The value of an expression; of a promise, what it ends with.
    Browser::Json ask(const std::string& expression);
    std::string text_of(const std::string& selector);
    /// Returns once the condition holds: it is looked at whenever the page changes.
    void wait_until(const std::string& condition);
    /// All of the page or, `in_view`, what fits; a file of that name if $RATECOORD_PAGE_SHOTS is set.
    void shoot(const std::string& name, bool in_view = false);

    /// What a console would show in red or yellow, and exceptions.
    std::vector<std::string> complaints();
    std::vector<std::string> requests();

  private:
    std::vector<Browser::Json> events();

    Browser& browser_;
    std::string session_;
};

}  // namespace ratecoord::testing
