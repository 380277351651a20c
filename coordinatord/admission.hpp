// SPDX-License-Identifier: Apache-2.0
//
// Who may come in: the checks of a request's head before anything is rendered.
//
// PROMISE  A page of another site cannot read the board through a name of its own that resolves to
//          this host: over TCP only names of loopback and the configured host are answered.
//          Tokens are compared in a time that does not tell how much of one was right.
// SHARING  Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coordinatord {

struct Admission {
    bool checks_host = true;  ///< false on a unix socket
    std::string host;         ///< as configured; of a wildcard, any address may be named
    std::string token;        ///< empty: none is asked for
};

/// "localhost" out of "localhost:9469", "::1" out of "[::1]:9469"; nothing if it is neither.
std::optional<std::string> name_in_host(std::string_view field);
bool admits_host(const Admission& admission, std::string_view field);

/// `authorization` is the field as sent, `query` what stood behind the '?'; both may be empty.
bool admits_token(const Admission& admission, std::string_view authorization,
                  std::string_view query);

}  // namespace coordinatord
