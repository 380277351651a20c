// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/config.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "coordinatord/event.hpp"
#include "segment/directory.hpp"
#include "venue/document.hpp"
#include "venue/fields.hpp"
#include "venue/profile_reader.hpp"
#include "venue/profile_search.hpp"

namespace coordinatord {
namespace {

using ratecoord::venue::Fields;
using ratecoord::venue::Findings;
using ratecoord::venue::in_quotes;
using ratecoord::venue::Member;
using ratecoord::venue::Node;

Member text_member(const std::string& key, const std::string& text, ratecoord::venue::Place place) {
    Node node;
    node.kind = Node::Kind::text;
    node.place = place;
    node.text = text;
    return {key, place, std::move(node)};
}

/// `base`, which the file names, may be a path; what a profile extends is a name.
ratecoord::venue::FetchProfile fetch_for(const std::string& base, const std::string& file) {
    auto by_name = ratecoord::venue::fetch_beside(file);
    if (base.find('/') == std::string::npos) return by_name;
    return [=](std::string_view wanted) -> ratecoord::venue::FoundText {
        if (wanted != base) return by_name(wanted);
        const auto path = std::filesystem::path(file).parent_path() / base;
        auto found = ratecoord::venue::find_profile(path.string());
        if (!found) return {std::nullopt, found.error().message};
        return {std::move(*found), {}};
    };
}

/// The profile a budget names, with the budget's own limits and operations laid over it.
std::optional<ratecoord::Profile> read_profile(Fields& fields, const Member& budget,
                                               const std::string& file, Findings& findings) {
    Node over;
    over.kind = Node::Kind::table;
    over.place = budget.place;
    const std::string base = fields.text("profile").value_or(budget.key);
    over.members.push_back(text_member("extends", base, budget.place));
    over.members.push_back(text_member("budget", budget.key, budget.place));
    for (const char* part : {"limits", "operations"}) {
        if (const Node* node = fields.take(part)) {
            over.members.push_back({part, node->place, *node});
        }
    }
    auto model = ratecoord::venue::read_profile(std::move(over), fetch_for(base, file), findings);
    if (!model) return std::nullopt;
    return ratecoord::venue::handle_of(std::move(*model));
}

std::uint32_t size_of(Fields& fields, std::string_view key, std::uint32_t usual,
                      std::uint64_t most) {
    return static_cast<std::uint32_t>(fields.number(key, 1, most).value_or(usual));
}

void read_budget(const Member& member, Config& config, Findings& findings) {
    Fields fields(member.value, findings, "budget " + in_quotes(member.key));
    if (const auto refusal = ratecoord::segment::name_refusal(member.key); !refusal.empty()) {
        fields.complain(refusal);
    }
    ratecoord::OpenOptions options;
    options.label = "coordinatord";
    options.clients = size_of(fields, "clients", options.clients, 4096);
    options.reservations = size_of(fields, "reservations", options.reservations, 4096);
    options.limits = size_of(fields, "max_limits", options.limits, 64);
    options.keys = size_of(fields, "max_keys", options.keys, 1024);
    options.full = fields.boolean("full").value_or(false);
    options.shadow = fields.boolean("shadow").value_or(false);
    options.group = config.group;
    auto profile = read_profile(fields, member, config.file, findings);
    fields.finish();
    if (profile) config.budgets.push_back({member.key, std::move(*profile), std::move(options)});
}

bool is_loopback(std::string_view host) {
    return host == "::1" || host.substr(0, 4) == "127.";
}

/// "127.0.0.1:9469", "[::1]:9469" or "unix:/path".
void read_address(Fields& fields, const std::string& text, ListenConfig& listen) {
    constexpr std::string_view unix_prefix = "unix:";
    if (text.starts_with(unix_prefix)) {
        listen.socket = text.substr(unix_prefix.size());
        if (!listen.socket.starts_with('/') || listen.socket.size() > 100) {
            fields.complain("address", in_quotes(text) +
                                           " does not name an absolute path of at most 100 bytes");
        }
        return;
    }
    const auto colon = text.rfind(':');
    std::string host = colon == std::string::npos ? std::string() : text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    const char* const end = text.data() + text.size();
    const char* const begin = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto read = std::from_chars(begin, end, listen.port);
    if (host.empty() || read.ec != std::errc() || read.ptr != end) {
        fields.complain("address", in_quotes(text) + " is neither HOST:PORT nor unix:/PATH");
        return;
    }
    listen.host = std::move(host);
}

/// The first line of the token file.
void read_token(Fields& fields, ListenConfig& listen) {
    const auto path = fields.text("token_file");
    if (!path) return;
    std::ifstream file(*path);
    constexpr std::size_t least = 16;
    if (!file || !std::getline(file, listen.token)) {
        fields.complain("token_file", in_quotes(*path) + " cannot be read");
    } else if (listen.token.size() < least) {
        fields.complain("token_file", in_quotes(*path) + " holds fewer than 16 characters");
    }
}

void read_listen(const Node& node, Config& config, Findings& findings) {
    Fields fields(node, findings, "listen");
    fields.require("address");
    if (const auto address = fields.text("address")) {
        read_address(fields, *address, config.listen);
    }
    read_token(fields, config.listen);
    const ListenConfig& listen = config.listen;
    if (!listen.host.empty() && !is_loopback(listen.host) && listen.token.empty()) {
        fields.complain("address", in_quotes(listen.host) +
                                       " is not a loopback address: that needs a token_file");
    }
    fields.finish();
}

void read_watch(const Node& node, Config& config, Findings& findings) {
    Fields fields(node, findings, "watch");
    WatchConfig& watch = config.watch;
    watch.outside_percent = static_cast<std::uint32_t>(
        fields.number("outside_percent", 1, 100).value_or(watch.outside_percent));
    watch.calendar_percent = static_cast<std::uint32_t>(
        fields.number("calendar_percent", 1, 100).value_or(watch.calendar_percent));
    watch.clock = fields.boolean("clock").value_or(true);
    fields.finish();
}

void check_known(Fields& fields, std::string_view key, const std::vector<std::string>& words,
                 const std::vector<std::string_view>& known, std::string_view what) {
    for (const auto& word : words) {
        if (std::find(known.begin(), known.end(), word) != known.end()) continue;
        fields.complain(key, in_quotes(word) + " is no " + std::string(what) +
                                 ratecoord::venue::suggestion(word, known));
    }
}

void read_hook(const Node& node, Config& config, Findings& findings) {
    Fields fields(node, findings, "hook");
    HookConfig hook;
    fields.require("name");
    hook.name = fields.text("name").value_or("");
    hook.on = fields.texts("on");
    check_known(fields, "on", hook.on, event_kinds(), "event");
    hook.budgets = fields.texts("budgets");
    std::vector<std::string_view> names;
    for (const auto& budget : config.budgets) names.push_back(budget.name);
    check_known(fields, "budgets", hook.budgets, names, "budget of this file");
    hook.command = fields.texts("command");
    hook.url = fields.text("url").value_or("");
    if (hook.command.empty() == hook.url.empty()) fields.complain("needs a command or a url");
    if (!hook.command.empty() && !hook.command[0].starts_with('/')) {
        fields.complain("command", in_quotes(hook.command[0]) + " is not an absolute path");
    }
    if (!hook.url.empty() && !hook.url.starts_with("http://") && !hook.url.starts_with("https://"))
        fields.complain("url", in_quotes(hook.url) + " is neither http:// nor https://");
    hook.timeout = fields.duration("timeout").value_or(hook.timeout);
    if (hook.timeout < std::chrono::milliseconds(100) || hook.timeout > std::chrono::minutes(5)) {
        fields.complain("timeout", "is not between 100ms and 5m");
    }
    hook.most = static_cast<std::uint32_t>(fields.number("most", 1, 10'000).value_or(hook.most));
    hook.window = fields.duration("window").value_or(hook.window);
    fields.finish();
    config.hooks.push_back(std::move(hook));
}

void read_directory(Fields& fields, Config& config) {
    config.directory = fields.text("directory").value_or("");
    if (!config.directory.empty() && !config.directory.starts_with('/')) {
        fields.complain("directory", in_quotes(config.directory) + " is not an absolute path");
    }
    config.group = fields.text("group").value_or("");
    config.interval = fields.duration("interval").value_or(config.interval);
    if (config.interval < std::chrono::milliseconds(100) ||
        config.interval > std::chrono::seconds(10)) {
        fields.complain("interval", "is not between 100ms and 10s");
    }
}

}  // namespace

std::optional<Config> parse_config(const std::string& text, const std::string& file,
                                   Findings& findings) {
    const auto node = ratecoord::venue::read_document(text, findings.add_file(file), findings);
    if (!node) return std::nullopt;
    Config config;
    config.file = file;
    Fields fields(*node, findings, "coordinatord.toml");
    fields.require("schema");
    fields.number("schema", 1, 1);
    read_directory(fields, config);
    if (const Node* listen = fields.take("listen")) read_listen(*listen, config, findings);
    if (const Node* watch = fields.take("watch")) read_watch(*watch, config, findings);
    if (const Node* budgets = fields.take("budgets")) {
        for (const Member& member : budgets->members) read_budget(member, config, findings);
    }
    if (const Node* hooks = fields.take("hooks")) {
        for (const Node& hook : hooks->items) read_hook(hook, config, findings);
    }
    fields.finish();
    if (!findings.empty()) return std::nullopt;
    return config;
}

std::optional<Config> read_config(const std::string& file, Findings& findings) {
    std::ifstream stream(file, std::ios::binary);
    std::string text;
    text.resize(ratecoord::venue::document_bytes_max + 1);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad()) {
        findings.add({findings.add_file(file), 0}, "cannot be read");
        return std::nullopt;
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return parse_config(text, file, findings);
}

}  // namespace coordinatord
