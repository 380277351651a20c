// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "tidy/rules.hpp"

namespace tidy {
namespace {

using Words = std::vector<std::string_view>;

struct Layer {
    std::string_view directory;
    Words may_include;  // first parts of quoted includes
};

// The arrows of the library; tools and tests may include any layer.
const std::vector<Layer>& layers() {
    static const std::vector<Layer> table{
        {"lib/include", {}},
        {"lib/core", {"core"}},
        {"lib/segment", {"core", "segment"}},
        {"lib/client", {"core", "segment", "venue", "client"}},
        {"lib/venue", {"core", "venue"}},
        {"lib/retry", {"core", "segment", "client", "venue", "retry"}},
        {"lib/adapters", {"core", "segment", "client", "venue", "retry", "adapters"}},
    };
    return table;
}

// Public headers that need more than the core. The others are plain values, open to every layer.
struct PublicHeader {
    std::string_view name;
    Words closed_to;
};

const std::vector<PublicHeader>& public_headers() {
    static const std::vector<PublicHeader> table{
        {"ratecoord/asio.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue"}},
        {"ratecoord/beast.hpp",
         {"lib/core", "lib/segment", "lib/client", "lib/venue", "lib/retry"}},
        {"ratecoord/budget.hpp", {"lib/core", "lib/segment", "lib/venue"}},
        {"ratecoord/curl.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue", "lib/retry"}},
        {"ratecoord/emergency.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue"}},
        {"ratecoord/orders.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue"}},
        {"ratecoord/reconnect.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue"}},
        {"ratecoord/retry.hpp", {"lib/core", "lib/segment", "lib/client", "lib/venue"}},
        {"ratecoord/snapshot.hpp", {"lib/core", "lib/segment"}},
    };
    return table;
}

struct Include {
    std::size_t line;
    std::string target;
    bool is_quoted;
};

std::vector<Include> includes_of(const SourceFile& file) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
    std::vector<Include> found;
    std::size_t number = 0;
    for (const auto& line : split_lines(file.uncommented)) {
        ++number;
        std::smatch match;
        if (std::regex_search(line, match, pattern)) {
            found.push_back({number, match[2].str(), match[1].str() == "\""});
        }
    }
    return found;
}

bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<std::string> offence(const Layer& layer, const Include& include) {
    const auto first = include.target.substr(0, include.target.find('/'));
    if (include.is_quoted && !contains(layer.may_include, first)) {
        return std::string(layer.directory) + " may not include \"" + include.target + "\"";
    }
    for (const auto& header : public_headers()) {
        if (include.target == header.name && contains(header.closed_to, layer.directory)) {
            return std::string(layer.directory) + " lies below <" + include.target + ">";
        }
    }
    return std::nullopt;
}

// The mock venue counts on its own: a mistake of the library must not be made twice.
bool is_independent(const SourceFile& file) {
    return file.is_under("tools/mock-venue");
}

bool is_of_the_library(const Include& include) {
    static constexpr std::array parts{"core/",  "segment/",  "client/",   "venue/",
                                      "retry/", "adapters/", "ratecoord/"};
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return include.target.starts_with(part); });
}

void find_words(const SourceFile& file, std::string_view view, const Words& words,
                std::string_view reason, Complaints& complaints) {
    for (const auto word : words) {
        for (auto at = find_word(view, word); at != std::string_view::npos;
             at = find_word(view, word, at + 1)) {
            complaints.push_back(complaint(file, line_of(view, at),
                                           "'" + std::string(word) + "': " + std::string(reason)));
        }
    }
}

bool is_ours_at_run_time(const SourceFile& file) {
    return file.is_under("lib") || file.is_under("tools") || file.is_under("coordinatord");
}

}  // namespace

Complaints check_include_arrows(const Tree& tree) {
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp()) continue;
        const auto layer = std::find_if(layers().begin(), layers().end(), [&](const auto& entry) {
            return file.is_under(entry.directory);
        });
        for (const auto& include : includes_of(file)) {
            if (layer != layers().end()) {
                if (const auto what = offence(*layer, include)) {
                    complaints.push_back(complaint(file, include.line, *what));
                }
            } else if (is_independent(file) && is_of_the_library(include)) {
                complaints.push_back(complaint(file, include.line,
                                               "the mock venue shares no code with the library"));
            }
        }
    }
    return complaints;
}

Complaints check_core_is_pure(const Tree& tree) {
    static const Words headers{"atomic",        "condition_variable",
                               "ctime",         "filesystem",
                               "fstream",       "future",
                               "iostream",      "memory",
                               "mutex",         "shared_mutex",
                               "cstdio",        "stdio.h",
                               "thread",        "time.h",
                               "unistd.h",      "fcntl.h",
                               "random",        "semaphore",
                               "stop_token",    "map",
                               "unordered_map", "set",
                               "list",          "deque",
                               "functional"};
    static const Words words{"::now(",      "clock_gettime", "new",         "delete", "malloc",
                             "calloc",      "realloc",       "make_unique", "printf", "fprintf",
                             "make_shared", "volatile",      "errno",       "rand"};
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp() || !file.is_under("lib/core")) continue;
        for (const auto& include : includes_of(file)) {
            if (contains(headers, include.target) || include.target.starts_with("sys/") ||
                include.target.starts_with("linux/") || include.target.starts_with("boost/")) {
                complaints.push_back(
                    complaint(file, include.line, "the core is pure: no <" + include.target + ">"));
            }
        }
        auto code = std::regex_replace(file.code, std::regex("= delete"), "        ");
        find_words(file, code, words, "the core has no clock, no allocation and no I/O",
                   complaints);
    }
    return complaints;
}

Complaints check_segment_is_alone_with_the_system(const Tree& tree) {
    static const Words words{"interprocess", "SYS_futex",      "futex",   "FUTEX_WAIT_BITSET",
                             "mmap",         "munmap",         "madvise", "F_OFD_SETLK",
                             "F_OFD_SETLKW", "F_OFD_GETLK",    "F_SETLK", "flock",
                             "lockf",        "MADV_WIPEONFORK"};
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp() || !is_ours_at_run_time(file) || file.is_under("lib/segment")) continue;
        // The daemon's own lock file, no segment; ratectl asks who holds it.
        if (file.path == "coordinatord/instance.cpp") continue;
        if (file.path == "tools/ratectl/daemon_contact.cpp") continue;
        find_words(file, file.code, words,
                   "only lib/segment maps memory, locks files and waits on words", complaints);
    }
    return complaints;
}

Complaints check_no_floating_point(const Tree& tree) {
    static const Words words{"double", "float"};
    Complaints complaints;
    for (const auto& file : tree) {
        if (file.is_cpp() && file.is_under("lib")) {
            find_words(file, file.code, words, "no floating point below the renderers", complaints);
        }
    }
    return complaints;
}

// Where time may pass on purpose. A file that no longer sleeps leaves the list.
const std::vector<std::string_view>& sleepers() {
    static const Words paths{
        "lib/retry/budget_port.cpp",   // backs off: there is nothing to be woken by
        "lib/segment/relic.cpp",       // polls another process's file lock
        "lib/segment/saved_file.cpp",  // polls another process's file lock
    };
    return paths;
}

Complaints check_sleeps(const Tree& tree, const std::vector<std::string_view>& allowed) {
    static const Words words{"sleep_for", "sleep_until",     "usleep",
                             "nanosleep", "clock_nanosleep", " ::sleep("};
    Complaints complaints;
    for (const auto& file : tree) {
        if (!file.is_cpp() || file.is_under("bench")) continue;  // bench/ measures real time
        Complaints found;
        find_words(file, file.code, words, "nothing sleeps here; wait for what you wait for",
                   found);
        const bool may_sleep = contains(allowed, file.path);
        if (may_sleep && found.empty()) {
            complaints.push_back(complaint(file, 0, "is allowed to sleep and does not"));
        } else if (!may_sleep) {
            complaints.insert(complaints.end(), found.begin(), found.end());
        }
    }
    for (const auto path : allowed) {
        if (find_file(tree, path) == nullptr) {
            complaints.push_back(std::string(path) + ": is allowed to sleep and does not exist");
        }
    }
    return complaints;
}

}  // namespace tidy
