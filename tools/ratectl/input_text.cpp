// SPDX-License-Identifier: Apache-2.0
#include "ratectl/input_text.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "grammar/number.hpp"

namespace ratectl {

namespace {

Failure unreadable(const std::string& what, const std::string& path, int why) {
    return {.what = what,
            .cause = fmt::format("{} cannot be read: {}", ratecoord::grammar::in_quotes(path),
                                 std::strerror(why)),
            .hint = {},
            .code = "unreadable",
            .exit = why == EACCES || why == EPERM ? ExitCode::permission : ExitCode::failed,
            .retry_after_ns = std::nullopt};
}

int leave_open(FILE*) {
    return 0;
}

}  // namespace

Outcome<std::string> read_input(const std::string& what, const std::string& path,
                                std::size_t bytes_most) {
    const bool is_standard = path == "-";
    const std::unique_ptr<FILE, int (*)(FILE*)> stream(
        is_standard ? stdin : std::fopen(path.c_str(), "rb"),
        is_standard ? leave_open : std::fclose);
    if (stream == nullptr) return tl::unexpected(unreadable(what, path, errno));
    std::string text;
    std::array<char, 65536> buffer{};
    errno = 0;
    for (std::size_t count = 0;
         (count = std::fread(buffer.data(), 1, buffer.size(), stream.get())) > 0;) {
        text.append(buffer.data(), count);
        if (text.size() > bytes_most) {
            return tl::unexpected(
                usage_failure(what,
                              fmt::format("{} is longer than {} bytes",
                                          ratecoord::grammar::in_quotes(path), bytes_most),
                              "give it the part that matters"));
        }
    }
    if (std::ferror(stream.get()) != 0) return tl::unexpected(unreadable(what, path, errno));
    return text;
}

}  // namespace ratectl
