// SPDX-License-Identifier: Apache-2.0
//
// The venue's back door under /_mock/, for tests and demos. Requests here are neither counted nor
// logged.
//
//     GET  /_mock/stats                           what happened so far, as JSON
//     GET  /_mock/time                            both clocks of the venue
//     POST /_mock/ban?seconds=N[&status=418]      stops everybody; N in the venue's (scaled) time
//     POST /_mock/limit?name=L&quota=N[&burst=N]  changes a limit from now on
//     POST /_mock/flush                           writes the log out
//     POST /_mock/quit                            answers, then ends the server
#pragma once

#include <string_view>

#include "mock-venue/request.hpp"
#include "mock-venue/venue.hpp"

namespace mock_venue {

bool is_admin(std::string_view path);

struct AdminAnswer {
    Reply reply;
    bool quit = false;
};

AdminAnswer answer_admin(Venue& venue, const Request& request);

}  // namespace mock_venue
