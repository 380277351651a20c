// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/watches.hpp"

#include <sys/timex.h>

namespace coordinatord {

bool BudgetWatch::begins(const std::string& what, bool is_so) {
    if (is_so) return standing_.insert(what).second;
    standing_.erase(what);
    return false;
}

void BudgetWatch::look(const ratecoord::Snapshot& snapshot, const WatchConfig& watch,
                       const Tell& tell) {
    const auto at = snapshot.now + snapshot.utc_offset;
    for (const auto& limit : snapshot.limits) {
        const std::uint64_t quota = limit.definition.quota;
        for (const auto& cell : limit.cells) {
            std::string what = limit.definition.name;
            if (!cell.key.empty()) what += '@' + cell.key;
            if (begins("outside " + what, cell.outside * 100 > quota * watch.outside_percent)) {
                tell({std::string(kinds::outside_share),
                      snapshot.name,
                      {},
                      what + ": " + std::to_string(cell.outside) + " of " + std::to_string(quota) +
                          " units drawn by others",
                      at});
            }
        }
    }
    const std::uint64_t in_use = snapshot.reservations.size();
    const std::uint64_t most = snapshot.capacity.reservations;
    if (begins("calendar", in_use * 100 > most * watch.calendar_percent)) {
        tell({std::string(kinds::calendar_nearly_full),
              snapshot.name,
              {},
              std::to_string(in_use) + " of " + std::to_string(most) + " reservations stand",
              at});
    }
}

void ClockWatch::look(bool is_synchronised, std::int64_t at_utc_ns, const Tell& tell) {
    if (was_synchronised_ && !is_synchronised) {
        tell({std::string(kinds::clock_unsynchronised),
              {},
              {},
              "the kernel says that nobody keeps this host's clock; windows of UTC need it",
              at_utc_ns});
    }
    was_synchronised_ = is_synchronised;
}

bool clock_is_synchronised() {
    timex state{};
    const int status = ::adjtimex(&state);
    return status < 0 || (status != TIME_ERROR && (state.status & STA_UNSYNC) == 0);
}

}  // namespace coordinatord
