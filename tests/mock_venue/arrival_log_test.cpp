// SPDX-License-Identifier: Apache-2.0
#include "mock-venue/arrival_log.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "mock_venue/moments.hpp"
#include "support/catch.hpp"

using namespace mock_venue;
using namespace mock_venue::testing;

namespace {

// A file name of its own that is gone again at the end.
class ScratchFile {
  public:
    ScratchFile() {
        std::string text = (std::filesystem::temp_directory_path() / "arrivals-XXXXXX").string();
        const int fd = ::mkstemp(text.data());
        REQUIRE(fd >= 0);
        ::close(fd);
        path_ = text;
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    const std::string& path() const { return path_; }

    std::vector<std::string> lines() const {
        std::ifstream file(path_);
        std::vector<std::string> found;
        for (std::string line; std::getline(file, line);) found.push_back(line);
        return found;
    }

  private:
    std::string path_;
};

ArrivalRecord accepted() {
    ArrivalRecord record;
    record.n = 7;
    record.at = at(1s + 2ns);
    record.boot_time = 55ns;
    record.method = "GET";
    record.path = "/api/v3/depth";
    record.status = 200;
    record.accepted = true;
    record.charges = {{"weight", 25}, {"raw", 1}};
    record.label = "w7";
    record.address = "127.0.0.1";
    record.used = {{"weight", 137}, {"raw", 12}};
    return record;
}

}  // namespace

TEST_CASE("a line of the log has every field, in a fixed order, unknown ones null") {
    CHECK(to_json_line(accepted()) ==
          R"({"n":7,"t_ns":1893456001000000002,"boot_ns":55,"method":"GET",)"
          R"("path":"/api/v3/depth","status":200,"accepted":true,)"
          R"("charges":{"weight":25,"raw":1},)"
          R"("account":null,"label":"w7","ip":"127.0.0.1","refused_by":null,"until_ns":null,)"
          R"("used":{"weight":137,"raw":12}})");
    ArrivalRecord refused = accepted();
    refused.status = 429;
    refused.account = "acct:main";
    refused.refused_by = "weight";
    refused.until = at(60s);
    const auto json = nlohmann::json::parse(to_json_line(refused));
    CHECK(json["account"] == "acct:main");
    CHECK(json["refused_by"] == "weight");
    CHECK(json["until_ns"] == 1'893'456'060'000'000'000);
}

TEST_CASE("labels and paths of any bytes make valid JSON") {
    ArrivalRecord record = accepted();
    record.label = "a\"b\\c\n\xff";
    record.path = "/\x01\xc3\xa9";
    const auto json = nlohmann::json::parse(to_json_line(record));
    CHECK(json["label"] == "a\"b\\c\n\xef\xbf\xbd");
    CHECK(json["path"] == "/\x01\xc3\xa9");
}

TEST_CASE("a log holds whole lines after a flush and after its end") {
    const ScratchFile file;
    {
        ArrivalLog log(file.path());
        REQUIRE(log.enabled());
        log.add(accepted());
        CHECK(file.lines().empty());
        CHECK(log.flush());
        CHECK(file.lines().size() == 1);
        log.add(accepted());
    }
    const auto lines = file.lines();
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == to_json_line(accepted()));
    CHECK(lines[1] == lines[0]);
}

TEST_CASE("a log without a path keeps nothing") {
    ArrivalLog log("");
    CHECK_FALSE(log.enabled());
    log.add(accepted());
    CHECK(log.flush());
}

TEST_CASE("a log that cannot be opened says so, one that cannot be written too") {
    CHECK_THROWS_AS(ArrivalLog("/proc/no/such/directory"), std::system_error);
    ArrivalLog full("/dev/full");
    full.add(accepted());
    CHECK_FALSE(full.flush());
    CHECK_FALSE(full.flush());
}
