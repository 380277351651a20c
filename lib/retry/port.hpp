// SPDX-License-Identifier: Apache-2.0
//
// What the retry layer needs of the world: a budget, a clock, and chance.
//
// PROMISE  Everything in lib/retry goes through here, so that tests turn time by hand and count
//          what is sent. budget_port.cpp is the one for production.
// UNITS    Instants of BootClock; utc in nanoseconds since 1970.
// SHARING  A port serves one call at a time.
#pragma once

#include <ratecoord/budget.hpp>
#include <ratecoord/reply.hpp>

namespace ratecoord::retry {

class Port {
  public:
    virtual ~Port() = default;

    virtual Result<Decision> acquire(const Cost& cost, BootTime deadline) noexcept = 0;
    virtual Result<Advice> observe(Permit& permit, const Reply& reply) noexcept = 0;
    virtual Result<void> halt(std::string_view reason) noexcept = 0;
    virtual Result<bool> spend_retry_units(std::uint32_t units) noexcept = 0;
    virtual Result<void> return_retry_units(std::uint32_t units) noexcept = 0;

    virtual BootTime now() const noexcept = 0;
    virtual std::int64_t utc_ns() const noexcept = 0;
    virtual void wait_until(BootTime until) noexcept = 0;
    virtual std::uint64_t random() noexcept = 0;
};

}  // namespace ratecoord::retry
