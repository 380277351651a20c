// SPDX-License-Identifier: Apache-2.0
#include <pwd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>

#include "ratectl/doctor/gather.hpp"

namespace ratectl {

namespace {

namespace fs = std::filesystem;

// Earlier ones go before later ones, file by file: logind.conf(5).
constexpr std::array<std::string_view, 4> folders{"etc/systemd", "run/systemd",
                                                  "usr/local/lib/systemd", "usr/lib/systemd"};

std::string file_text(const fs::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string main_text(const fs::path& root) {
    std::error_code error;
    for (const auto folder : folders) {
        const auto path = root / folder / "logind.conf";
        if (fs::exists(path, error)) return file_text(path);
    }
    return {};
}

std::vector<std::string> drop_in_texts(const fs::path& root) {
    std::map<std::string, fs::path> files;
    for (const auto folder : folders) {
        std::error_code error;
        for (fs::directory_iterator at(root / folder / "logind.conf.d", error), end;
             !error && at != end; at.increment(error)) {
            if (at->path().extension() != ".conf") continue;
            files.try_emplace(at->path().filename().string(), at->path());
        }
    }
    std::vector<std::string> texts;
    for (const auto& [name, path] : files) texts.push_back(file_text(path));
    return texts;
}

// What the text says of RemoveIPC, last line first; `comments` count if there is nothing else.
std::optional<bool> remove_ipc_of(const std::string& text, bool comments) {
    std::optional<bool> removes;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        std::string_view rest = line;
        if (comments && rest.starts_with('#')) rest.remove_prefix(1);
        constexpr std::string_view name = "RemoveIPC=";
        if (!rest.starts_with(name)) continue;
        rest.remove_prefix(name.size());
        removes = rest == "yes" || rest == "true" || rest == "1" || rest == "on";
    }
    return removes;
}

}  // namespace

bool read_remove_ipc(const std::vector<std::string>& texts) {
    bool removes = true;
    if (!texts.empty()) removes = remove_ipc_of(texts.front(), true).value_or(removes);
    for (const auto& text : texts) removes = remove_ipc_of(text, false).value_or(removes);
    return removes;
}

std::optional<bool> logind_removes_ipc(const fs::path& root) {
    std::error_code error;
    if (!fs::exists(root / "run/systemd/system", error)) return std::nullopt;  // sd_booted(3)
    std::vector<std::string> texts{main_text(root)};
    for (auto& text : drop_in_texts(root)) texts.push_back(std::move(text));
    return read_remove_ipc(texts);
}

bool user_lingers(const fs::path& root, std::uint32_t uid) {
    const passwd* user = ::getpwuid(uid);
    std::error_code error;
    return user != nullptr && fs::exists(root / "var/lib/systemd/linger" / user->pw_name, error);
}

}  // namespace ratectl
