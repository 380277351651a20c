// SPDX-License-Identifier: Apache-2.0
//
// The port of production: a Budget, the host's clocks, the kernel's chance.
#pragma once

#include "retry/port.hpp"

namespace ratecoord::retry {

class BudgetPort final : public Port {
  public:
    explicit BudgetPort(Budget& budget) noexcept : budget_(budget) {}

    Result<Decision> acquire(const Cost& cost, BootTime deadline) noexcept override;
    Result<Advice> observe(Permit& permit, const Reply& reply) noexcept override;
    Result<void> halt(std::string_view reason) noexcept override;
    Result<bool> spend_retry_units(std::uint32_t units) noexcept override;
    Result<void> return_retry_units(std::uint32_t units) noexcept override;
    BootTime now() const noexcept override;
    std::int64_t utc_ns() const noexcept override;
    void wait_until(BootTime until) noexcept override;
    std::uint64_t random() noexcept override;

  private:
    Budget& budget_;
};

}  // namespace ratecoord::retry
