// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <variant>

#include "core/definition.hpp"
#include "fuzz.hpp"
#include "venue/profile_reader.hpp"
#include "venue/reading.hpp"

using namespace ratecoord;
using namespace ratecoord::fuzz;

namespace {

void use(const venue::Profile& profile) {
    for (const auto& limit : profile.limits) {
        const auto record = core::to_record(limit.definition);
        require(std::holds_alternative<core::LimitRecord>(record), "limits can be kept");
    }
    const Header headers[] = {{"retry-after", "41"}, {"date", "Tue, 01 Jan 2030 00:00:00 GMT"}};
    const venue::Times times{
        BootTime(std::chrono::seconds(1000)), 1'893'456'000 * venue::second_ns, {}};
    for (const int status : {0, 200, 403, 418, 429, 503}) {
        Reply reply;
        reply.status = status;
        reply.headers = headers;
        reply.body = R"({"code":-1003,"msg":"banned until 1893456178000","data":[{"sCode":"1"}]})";
        for (std::size_t i = 0; i <= profile.operations.size(); ++i) {
            const auto reading = venue::read(profile, reply, static_cast<std::uint16_t>(i), times);
            require(reading.wait_ns >= 0 && reading.wait_ns <= profile.longest_wait.count(),
                    "waits are bounded");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(text_of(data, size));
    venue::Findings findings;
    // It extends itself under another name, a few times at most.
    const venue::FetchProfile fetch = [&](std::string_view name) {
        return name == "none" ? venue::FoundText{std::nullopt, "there is none"}
                              : venue::FoundText{venue::ProfileText{"again.toml", text}, {}};
    };
    const auto profile = venue::read_profile({"fuzz.toml", text}, fetch, findings);
    require(profile.has_value() == findings.empty(), "a profile or a finding");
    require(findings.list().size() <= venue::findings_max, "findings fill one screen");
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const auto& finding : findings.list()) {
        require(finding.line <= lines, "a finding's line is of the file");
        require(finding.text().find('\n') == std::string::npos, "a finding is one line");
    }
    if (profile) use(*profile);
    return 0;
}
