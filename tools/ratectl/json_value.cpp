// SPDX-License-Identifier: Apache-2.0
#include "ratectl/json_value.hpp"

#include <nlohmann/json.hpp>

namespace ratectl {

Json new_document() {
    Json document;
    document["schema"] = schema_number;
    return document;
}

Json failure_document(const Failure& failure) {
    Json document = new_document();
    Json& error = document["error"];
    error["code"] = failure.code;
    error["message"] = "cannot " + failure.what + ": " + failure.cause;
    error["hint"] = text_value(failure.hint);
    error["exit_code"] = static_cast<int>(failure.exit);
    error["retry_after_seconds"] =
        failure.retry_after_ns ? seconds_value(*failure.retry_after_ns) : Json();
    return document;
}

Json seconds_value(std::int64_t ns) {
    constexpr std::int64_t second_ns = 1'000'000'000;
    if (ns % second_ns == 0) return ns / second_ns;
    return static_cast<double>(ns) / static_cast<double>(second_ns);
}

Json text_value(std::string_view text) {
    return text.empty() ? Json() : Json(text);
}

}  // namespace ratectl
