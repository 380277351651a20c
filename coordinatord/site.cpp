// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/site.hpp"

#include <algorithm>
#include <utility>

#include "coordinatord/budgets_json.hpp"
#include "coordinatord/page_text.hpp"

namespace coordinatord {
namespace {

Page health_of(const Board& board) {
    const auto lost = std::count_if(board.views().begin(), board.views().end(),
                                    [](const auto& view) { return !view.second.problem.empty(); });
    return {"text/plain; charset=utf-8", "ok: " + std::to_string(board.views().size()) +
                                             " budgets, " + std::to_string(lost) +
                                             " cannot be had\n"};
}

Route fixed(std::string type, std::string_view text, bool needs_token) {
    return {[type = std::move(type), text](const Board&) {
                return Page{type, std::string(text)};
            },
            needs_token};
}

}  // namespace

Routes page_routes() {
    Routes routes;
    routes["/"] = fixed("text/html; charset=utf-8", page_html, true);
    // Asked for by the page's own tags, which cannot carry a token.
    routes["/page.js"] = fixed("text/javascript; charset=utf-8", page_js, false);
    routes["/page.css"] = fixed("text/css; charset=utf-8", page_css, false);
    routes["/healthz"] = {health_of, true};
    routes["/api/budgets"] = {[](const Board& board) {
                                  return Page{"application/json", render_budgets(board)};
                              },
                              true};
    return routes;
}

bool Site::has(std::string_view path) const {
    return path == events_path || routes_.find(path) != routes_.end();
}

bool Site::needs_token(std::string_view path) const {
    const auto route = routes_.find(path);
    return route == routes_.end() || route->second.needs_token;
}

std::optional<Site::Shown> Site::show(std::string_view path) {
    const auto route = routes_.find(path);
    if (route == routes_.end()) return std::nullopt;
    Rendered& rendered = rendered_[route->first];
    if (!rendered.shown.text || rendered.revision != board_.revision()) {
        Page page = route->second.render(board_);
        rendered = {
            board_.revision(),
            {std::move(page.type), std::make_shared<const std::string>(std::move(page.text))}};
    }
    return rendered.shown;
}

Site::Text Site::event() {
    Rendered& rendered = rendered_[std::string(events_path)];
    if (!rendered.shown.text || rendered.revision != board_.revision()) {
        rendered = {board_.revision(),
                    {"text/event-stream", std::make_shared<const std::string>(
                                              "id: " + std::to_string(board_.revision()) +
                                              "\ndata: " + update_(board_) + "\n\n")}};
    }
    return rendered.shown.text;
}

}  // namespace coordinatord
