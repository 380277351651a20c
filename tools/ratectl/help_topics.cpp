// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ratectl/help_text.hpp"

namespace ratectl {

namespace {

constexpr std::string_view exit_codes = R"(  0  done; an empty list too
  1  failed; also when one of several items failed, or doctor found something
  2  the command line cannot be used
  3  there is no such budget; no coordinatord (reload)
  4  the budget has no limit or key dimension of that name; no such profile or operation
  5  permission
  6  refused by a safety check: a ban stands, the budget exists, clients are attached
  7  refused by the budget: no permit came (acquire, exec)
 70  a fault of ratectl itself
exec ends with the program's own exit code; 126 if it cannot be run, 127 if there is none.
)";

constexpr std::string_view limits = R"(A limit is written as the venue publishes it:

  NAME=QUOTA/WINDOW[,kind=KIND][,burst=N][,slack=DURATION][,per=WHAT][,reserve=P%][,spread]
                   [,largest=N]

  kind=rolling  at most QUOTA in any WINDOW (if not given; also where the venue does not say)
  kind=fixed    at most QUOTA in each WINDOW of the UTC clock
  kind=bucket   QUOTA units come back per WINDOW, at most burst at once
  kind=spacing  at least WINDOW between two requests; QUOTA is 1
  burst=N       most units at once; more of it costs sustained rate (rolling)
  slack=D       how long a request may be under way; 250ms if not given
  per=WHAT      counted apart for each key of that sort, as per=account
  reserve=P%    share kept for the critical lane
  spread        pace a fixed limit evenly over its window
  largest=N     the largest cost of one request, which must fit

  weight=6000/1m,kind=fixed,slack=500ms     orders=50/10s,per=account     poll=20/1s,kind=bucket,burst=50
)";

constexpr std::string_view costs =
    R"(A cost is NAME=UNITS for each limit that a request draws from; it gets all or nothing:

  ratectl acquire binance-spot weight=25 raw=1 --timeout 5s

Where a limit is counted per key, --key says which: orders=1 --key orders=main
UNITS is at least 1. What can never fit at once is refused with exit code 2.
)";

constexpr std::string_view durations =
    R"(A duration is a number and a unit, or several from large to small: 250ms, 0.5s, 1m30s, 2h, 7d.
Units: d, h, m, s, ms, us, ns. A number without a unit is refused. What is shown as time left is
rounded up.
)";

constexpr std::string_view environment =
    R"(  RATECOORD_DIR  where budgets live. Not set: /run/ratecoord if it exists, else /dev/shm, where
                 each user has budgets of his own
  TERM, LC_ALL   what terminal top draws on, and whether blocks or ASCII
  COLUMNS        how wide the plots of simulate are; not set: as the terminal, else 80
  RATECOORD_PROFILES
                 the only directory in which profiles are looked for. Not set: those of the user,
                 of /etc/ratecoord/profiles.d and the installed ones, the first found wins
  NO_COLOR       if set and not empty: no colour, unless --color always is given
  TMPDIR         where create --dry-run tries its budget
)";

constexpr std::string_view states = R"(Of a budget or a limit, those that need attention first:

  banned   the venue refused this host (418, 403); nothing is sent until it ends
  paused   a cooldown (429), a person's pause, or a pause of the key
  halted   the kill switch is set; requests that open are refused
  probing  a ban is over; one request goes alone, the others wait for its reply
  cold     just created: it waits until nothing sent before can count any more
  empty    no unit is left now
  busy     some units are in use
  idle     all units are there
)";

constexpr std::array topics{
    Topic{"exit-codes", "what the exit code of ratectl says", exit_codes},
    Topic{"limits", "how a limit is written", limits},
    Topic{"costs", "how the cost of a request is written", costs},
    Topic{"durations", "how a duration is written", durations},
    Topic{"environment", "variables that ratectl obeys", environment},
    Topic{"states", "the states that list shows", states},
};

}  // namespace

std::span<const Topic> help_topics() {
    return topics;
}

}  // namespace ratectl
