// SPDX-License-Identifier: Apache-2.0
#include "venue/profile_search.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "venue/document.hpp"
#include "venue/sample.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view one_limit =
    "[limits.a]\nkind = \"rolling\"\nquota = 1\nwindow = \"1s\"\n";

std::string named(std::string_view name, std::string_view title) {
    return "schema = 1\nname = \"" + std::string(name) + "\"\ntitle = \"" + std::string(title) +
           "\"\nas_of = 2026-07-21\nsource = \"this test\"\nconfidence = \"B\"\n" +
           std::string(one_limit);
}

/// A directory of profiles that RATECOORD_PROFILES names while it lives.
class Shelf {
  public:
    Shelf() {
        std::string pattern = (fs::temp_directory_path() / "ratecoord-shelf-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
        ::setenv("RATECOORD_PROFILES", path_.c_str(), 1);
    }
    ~Shelf() {
        ::unsetenv("RATECOORD_PROFILES");
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Shelf(const Shelf&) = delete;
    Shelf& operator=(const Shelf&) = delete;

    std::string put(const std::string& file, std::string_view text) const {
        const auto path = path_ + "/" + file;
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace

TEST_CASE("F1: RATECOORD_PROFILES names the only directory") {
    const Shelf shelf;
    CHECK(venue::profile_directories() == std::vector<std::string>{shelf.path()});
}

TEST_CASE("F1: without it the user's directory comes first, then the host's, then the installed") {
    ::unsetenv("RATECOORD_PROFILES");
    ::setenv("XDG_CONFIG_HOME", "/xdg", 1);
    auto directories = venue::profile_directories();
    REQUIRE(directories.size() >= 3);
    CHECK(directories[0] == "/xdg/ratecoord/profiles");
    CHECK(directories[1] == "/etc/ratecoord/profiles.d");
    CHECK(directories[2].ends_with("/share/ratecoord/profiles"));
    ::unsetenv("XDG_CONFIG_HOME");
    ::setenv("HOME", "/h", 1);
    CHECK(venue::profile_directories()[0] == "/h/.config/ratecoord/profiles");
}

TEST_CASE("a profile is loaded by name and by path") {
    const Shelf shelf;
    const auto path = shelf.put("acme.toml", named("acme", "Acme"));
    const auto by_name = Profile::load("acme");
    REQUIRE(by_name);
    CHECK(by_name->name() == "acme");
    CHECK(by_name->budget() == "acme");
    CHECK(by_name->title() == "Acme");
    CHECK(by_name->as_of() == "2026-07-21");
    CHECK(by_name->source() == "this test");
    CHECK(by_name->confidence() == 'B');
    CHECK(by_name->file() == path);
    REQUIRE(by_name->limits().size() == 1);
    CHECK(by_name->limits()[0].name == "a");
    CHECK(Profile::load(path));
}

TEST_CASE("what is not there is refused with a near name") {
    const Shelf shelf;
    shelf.put("acme.toml", named("acme", "Acme"));
    const auto missing = Profile::load("acmee");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::unknown_name);
    CHECK(missing.error().message == "there is no profile 'acmee' (did you mean 'acme'?)");
    CHECK(Profile::load(shelf.path() + "/none.toml").error().code == ErrorCode::unknown_name);
    CHECK(Profile::load("").error().code == ErrorCode::invalid_argument);
    CHECK(Profile::load("Acme").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("F3: what is no regular file is not read") {
    const Shelf shelf;
    fs::create_directory(shelf.path() + "/dir.toml");
    CHECK(Profile::load("dir").error().code == ErrorCode::system);
    CHECK(Profile::load("/dev/zero").error().code == ErrorCode::system);
    const auto pipe = shelf.path() + "/pipe.toml";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_FALSE(Profile::load(pipe));
}

TEST_CASE("F3: a file of 10 MB is refused and not read whole") {
    const Shelf shelf;
    const auto path = shelf.put("big.toml", std::string(10'000'000, '#'));
    const auto text = venue::find_profile(path);
    REQUIRE(text);
    CHECK(text->text.size() == venue::document_bytes_max + 1);
    CHECK(Profile::load(path).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a broken profile is refused with its first finding and their number") {
    const Shelf shelf;
    const auto path = shelf.put("bad.toml", named("bad", "Bad") + "x = 1\ny = 2\n");
    const auto broken = Profile::load("bad");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == ErrorCode::invalid_argument);
    CHECK(broken.error().message == path + ":11: limit 'a': unknown key 'x' (and 1 more)");
    const auto report = venue::check("bad");
    REQUIRE(report);
    CHECK(report->count == 2);
    CHECK(report->findings[1].line == 12);
    CHECK_FALSE(venue::check("none"));
}

TEST_CASE("a base is looked for beside the file that extends it") {
    const Shelf shelf;
    shelf.put("base.toml", named("base", "On the shelf"));
    shelf.put("own/base.toml", named("base", "Beside"));
    const auto child = shelf.put("own/child.toml", "extends = \"base\"\nname = \"child\"\n");
    CHECK(Profile::load(child)->title() == "Beside");
    const auto other = shelf.put("other/child.toml", "extends = \"base\"\nname = \"child\"\n");
    CHECK(Profile::load(other)->title() == "On the shelf");
}

TEST_CASE("all profiles are listed by name, broken ones with their problem") {
    const Shelf shelf;
    shelf.put("b.toml", named("b", "B"));
    shelf.put("a.toml", "nonsense");
    shelf.put("README.md", "");
    shelf.put("Not-A-Name.toml", "");
    const auto listings = list_profiles();
    REQUIRE(listings);
    REQUIRE(listings->size() == 2);
    CHECK((*listings)[0].name == "a");
    CHECK_FALSE((*listings)[0].problem.empty());
    CHECK((*listings)[1].name == "b");
    CHECK((*listings)[1].problem.empty());
    CHECK((*listings)[1].title == "B");
}
