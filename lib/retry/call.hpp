// SPDX-License-Identifier: Apache-2.0
//
// The retry loop behind ratecoord::call, for any port. Its promises: ratecoord/retry.hpp.
#pragma once

#include "retry/attempt.hpp"

namespace ratecoord::retry {

CallResult call(Port& port, const Cost& cost, const CallPolicy& policy, SendRequest send) noexcept;

}  // namespace ratecoord::retry
