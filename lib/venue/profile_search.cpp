// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_search.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "venue/document.hpp"
#include "venue/fields.hpp"

namespace ratecoord::venue {
namespace {

namespace fs = std::filesystem;

#ifndef RATECOORD_PROFILE_DIR
#define RATECOORD_PROFILE_DIR "/usr/local/share/ratecoord/profiles"
#endif

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_path(std::string_view text) {
    return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

Result<ProfileText> read_file(const std::string& path) {
    const auto refuse = [&](int why) {
        return fail(why == ENOENT ? ErrorCode::unknown_name : ErrorCode::system,
                    "cannot read " + in_quotes(path) + ": " + std::strerror(why), {}, why);
    };
    std::error_code error;
    const auto status = fs::status(path, error);
    if (error) return refuse(error.value());
    // Opening a pipe would wait for a writer; a directory opens like a file.
    if (!fs::is_regular_file(status)) return refuse(fs::is_directory(status) ? EISDIR : EINVAL);
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return refuse(errno != 0 ? errno : EIO);
    ProfileText text{path, std::string(document_bytes_max + 1, '\0')};
    stream.read(text.text.data(), static_cast<std::streamsize>(text.text.size()));
    text.text.resize(static_cast<std::size_t>(stream.gcount()));
    if (stream.bad()) return refuse(EIO);
    return text;
}

std::vector<std::string_view> views(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
}

std::vector<std::string> names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
        const auto& path = at->path();
        if (path.extension() == ".toml" && is_name(path.stem().string(), 48, "-")) {
            names.push_back(path.stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::vector<std::string> profile_directories() {
    if (const auto only = variable("RATECOORD_PROFILES"); !only.empty()) return {only};
    std::vector<std::string> directories;
    auto config = variable("XDG_CONFIG_HOME");
    if (config.empty() && !variable("HOME").empty()) config = variable("HOME") + "/.config";
    if (!config.empty()) directories.push_back(config + "/ratecoord/profiles");
    directories.emplace_back("/etc/ratecoord/profiles.d");
    directories.emplace_back(RATECOORD_PROFILE_DIR);
#ifdef RATECOORD_SOURCE_PROFILES
    directories.emplace_back(RATECOORD_SOURCE_PROFILES);
#endif
    return directories;
}

Result<ProfileText> find_profile(std::string_view name_or_path) {
    if (is_path(name_or_path)) return read_file(std::string(name_or_path));
    if (!is_name(name_or_path, 48, "-")) {
        return fail(ErrorCode::invalid_argument,
                    in_quotes(name_or_path) +
                        " is not a profile's name: 1 to 48 characters of "
                        "a-z, 0-9, '-'; a path contains '/'");
    }
    std::vector<std::string> known;
    for (const auto& directory : profile_directories()) {
        const auto path = directory + "/" + std::string(name_or_path) + ".toml";
        std::error_code error;
        if (fs::exists(path, error)) return read_file(path);
        const auto names = names_in(directory);
        known.insert(known.end(), names.begin(), names.end());
    }
    return fail(
        ErrorCode::unknown_name,
        "there is no profile " + in_quotes(name_or_path) + suggestion(name_or_path, views(known)),
        "list them with 'ratectl profile list'");
}

FetchProfile fetch_beside(std::string file) {
    return [file = std::move(file)](std::string_view name) -> FoundText {
        if (!is_name(name, 48, "-")) return {std::nullopt, "is not the name of a profile"};
        const auto beside = (fs::path(file).parent_path() / (std::string(name) + ".toml")).string();
        std::error_code error;
        auto found = fs::exists(beside, error) ? read_file(beside) : find_profile(name);
        if (!found) return {std::nullopt, found.error().message};
        return {std::move(*found), {}};
    };
}

CheckReport check_text(const ProfileText& text, const FetchProfile& fetch) {
    Findings findings;
    const auto profile = read_profile(text, fetch, findings);
    CheckReport report{text.file, findings.list(), findings.count()};
    return report;
}

Result<CheckReport> check(std::string_view name_or_path) {
    auto text = find_profile(name_or_path);
    if (!text) return tl::unexpected(std::move(text.error()));
    return check_text(*text, fetch_beside(text->file));
}

}  // namespace ratecoord::venue

namespace ratecoord {

Result<std::vector<ProfileListing>> list_profiles() {
    std::vector<ProfileListing> listings;
    for (const auto& directory : venue::profile_directories()) {
        for (auto& name : venue::names_in(directory)) {
            const bool is_known =
                std::any_of(listings.begin(), listings.end(),
                            [&](const ProfileListing& listing) { return listing.name == name; });
            if (is_known) continue;
            ProfileListing listing;
            listing.path = (std::filesystem::path(directory) / (name + ".toml")).string();
            if (const auto profile = Profile::load(listing.path)) {
                listing.title = profile->title();
                listing.as_of = profile->as_of();
                listing.confidence = profile->confidence();
            } else {
                listing.problem = profile.error().message;
            }
            listing.name = std::move(name);
            listings.push_back(std::move(listing));
        }
    }
    std::sort(listings.begin(), listings.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return listings;
}

}  // namespace ratecoord
