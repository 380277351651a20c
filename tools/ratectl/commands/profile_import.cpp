// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "grammar/number.hpp"
#include "ratectl/commands/profile_actions.hpp"
#include "ratectl/input_text.hpp"
#include "ratectl/published_limits.hpp"

namespace ratectl {

namespace {

// The largest venues list thousands of symbols beside their limits.
constexpr std::size_t bytes_most = std::size_t{64} << 20;

}  // namespace

Done import_limits(const std::string& format, const std::string& path, Console& console) {
    using ratecoord::grammar::in_quotes;
    if (format != "exchange-info") {
        return tl::unexpected(usage_failure("import " + in_quotes(format),
                                            "the only format known is exchange-info",
                                            "see 'ratectl profile --help'"));
    }
    const auto what = "import limits from " + in_quotes(path);
    const auto text = read_input(what, path, bytes_most);
    if (!text) return tl::unexpected(text.error());
    const auto published = read_exchange_info(*text);
    if (!published) {
        return tl::unexpected(usage_failure(
            what, published.error(), "give it what the venue answers to exchangeInfo, as it came"));
    }
    if (console.json) {
        console.print_document(render_json(*published));
        return ExitCode::done;
    }
    console.print(render_text(*published));
    if (published->limits.empty()) console.narrate("ratectl: no limit is published there");
    return ExitCode::done;
}

}  // namespace ratectl
