// SPDX-License-Identifier: Apache-2.0
//
// What the door shows: a table of paths, each a rendering of the board.
//
// PROMISE  A path is rendered at most once for each revision of the board, however many ask; nothing
//          but the table is ever looked at, no file least of all.
// SHARING  One thread, the daemon's loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coordinatord/board.hpp"

namespace coordinatord {

struct Page {
    std::string type;  ///< as in Content-Type
    std::string text;
};

struct Route {
    std::function<Page(const Board&)> render;
    bool needs_token = true;  ///< false only for what says nothing of this host
};

using Routes = std::map<std::string, Route, std::less<>>;

/// Where the events of the page are; a route of the door's own.
inline constexpr std::string_view events_path = "/events";

/// The page, what it reads, and /healthz.
Routes page_routes();

class Site {
  public:
    using Text = std::shared_ptr<const std::string>;
    struct Shown {
        std::string type;
        Text text;
    };

    Site(const Board& board, Routes routes, std::function<std::string(const Board&)> update)
        : board_(board), routes_(std::move(routes)), update_(std::move(update)) {}

    bool has(std::string_view path) const;
    bool needs_token(std::string_view path) const;
    std::optional<Shown> show(std::string_view path);
    /// The newest server-sent event.
    Text event();
    std::uint64_t revision() const noexcept { return board_.revision(); }

  private:
    struct Rendered {
        std::uint64_t revision = 0;
        Shown shown;
    };

    const Board& board_;
    Routes routes_;
    std::function<std::string(const Board&)> update_;
    std::map<std::string, Rendered, std::less<>> rendered_;
};

}  // namespace coordinatord
