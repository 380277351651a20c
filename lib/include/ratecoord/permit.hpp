// SPDX-License-Identifier: Apache-2.0
//
// What a request costs, the permit it gets, and the refusals it may meet.
//
// PROMISE  A Permit is the right to send one request, now, arriving before valid_until(). A refusal
//          is a value that says when to come back; it is not an error.
// UNITS    Instants are of BootClock (CLOCK_BOOTTIME): they run through suspend and never step.
// SHARING  Cost is a value, read by any thread. A Permit or Reservation belongs to one thread at a
//          time.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include <ratecoord/limit.hpp>

namespace ratecoord {

/// The clock of every instant in this library.
struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock, duration>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept;
};
using BootTime = BootClock::time_point;

class Budget;

namespace detail {
/// One limit that a request draws from, names resolved. Never filled in by hand.
struct Charge {
    std::uint16_t limit = 0;
    std::uint16_t cell = 0xffff;
    std::uint32_t generation = 0;
    std::uint32_t units = 0;
    std::uint64_t key_high = 0;
    std::uint64_t key_low = 0;
};
inline constexpr std::size_t charges_max = 8;
}  // namespace detail

/// What one kind of request draws from each limit. Made once by Budget::cost, used for many
/// requests; valid for every client of the same budget name in this process.
class Cost {
  public:
    /// The same cost for another lane or intent. Default: normal lane, Intent::open.
    [[nodiscard]] Cost with(Lane lane) const noexcept {
        Cost copy = *this;
        copy.lane_ = lane;
        return copy;
    }
    [[nodiscard]] Cost with(Intent intent) const noexcept {
        Cost copy = *this;
        copy.intent_ = intent;
        return copy;
    }
    Lane lane() const noexcept { return lane_; }
    Intent intent() const noexcept { return intent_; }
    /// Never made by Budget::cost: no budget takes it.
    bool is_empty() const noexcept { return count_ == 0; }

  private:
    friend class Budget;
    std::array<detail::Charge, detail::charges_max> charges_{};
    std::uint8_t count_ = 0;
    Lane lane_ = Lane::normal;
    Intent intent_ = Intent::open;
    std::uint16_t operation_ = 0xffff;  ///< of the budget's profile, where it was made from one
    std::uint32_t budget_ = 0;          ///< hash of the name of the budget it was made for
};

/// The right to send one request. Not copyable: it is spent once.
class Permit {
  public:
    Permit() = default;
    Permit(Permit&& other) noexcept { *this = std::move(other); }
    Permit& operator=(Permit&& other) noexcept {
        if (this == &other) return *this;
        count_ = std::exchange(other.count_, std::uint8_t{0});
        std::copy_n(other.charges_.begin(), count_, charges_.begin());
        critical_mask_ = other.critical_mask_;
        probe_ = other.probe_;
        operation_ = other.operation_;
        id_ = std::exchange(other.id_, 0);
        at_ = other.at_;
        valid_until_ = other.valid_until_;
        return *this;
    }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;

    /// 0 for a permit that was never granted, was moved from, or is settled.
    std::uint64_t id() const noexcept { return id_; }
    /// The instant its units are booked at.
    BootTime at() const noexcept { return at_; }
    /// The request must have reached the venue by then (G1).
    BootTime valid_until() const noexcept { return valid_until_; }
    /// The one request after a ban: its outcome opens the budget, or keeps it closed.
    bool is_probe() const noexcept { return probe_; }

  private:
    friend class Budget;
    std::array<detail::Charge, detail::charges_max> charges_{};
    std::uint8_t count_ = 0;
    std::uint8_t critical_mask_ = 0;
    bool probe_ = false;
    std::uint16_t operation_ = 0xffff;
    std::uint64_t id_ = 0;
    BootTime at_{};
    BootTime valid_until_{};
};

enum class Refusal : std::uint8_t {
    none,           ///< granted, or reserved
    not_yet,        ///< come back at retry_at(): no room before the deadline
    paused,         ///< the venue, or a person, stopped this host until resume_after()
    halted,         ///< the kill switch is set; reads and closes still pass
    too_large,      ///< can never fit; a smaller request, or a larger burst
    calendar_full,  ///< too many reservations, or more than a quarter are this client's own
    keys_full,      ///< no room for one more key, and none is idle
};
const char* name_of(Refusal refusal) noexcept;

/// The answer to a request: a permit, or why not and when to come back.
class Decision {
  public:
    explicit operator bool() const noexcept { return refusal_ == Refusal::none; }
    bool granted() const noexcept { return refusal_ == Refusal::none; }
    Refusal refusal() const noexcept { return refusal_; }
    /// Needs granted().
    Permit& permit() noexcept { return permit_; }
    const Permit& permit() const noexcept { return permit_; }
    /// not_yet, paused: asked again at this instant, with nothing drawn in between, it is granted.
    /// From confirm(): when to confirm, or to ask anew where the reservation is gone.
    BootTime retry_at() const noexcept { return retry_at_; }
    /// paused: the end of the pause.
    BootTime resume_after() const noexcept { return resume_after_; }
    /// too_large, keys_full: which item of the cost, in the order it was named.
    std::size_t which() const noexcept { return which_; }

  private:
    friend class Budget;
    Permit permit_;
    Refusal refusal_ = Refusal::not_yet;
    std::uint8_t which_ = 0;
    BootTime retry_at_{};
    BootTime resume_after_{};
};

/// A place in the calendar. Dropping it does not cancel it: what is neither confirmed nor cancelled
/// lapses, and its units stay spent.
class Reservation {
  public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept { *this = std::move(other); }
    Reservation& operator=(Reservation&& other) noexcept {
        if (this == &other) return *this;
        cost_ = other.cost_;
        id_ = std::exchange(other.id_, 0);
        epoch_ = other.epoch_;
        at_ = other.at_;
        deadline_ = other.deadline_;
        return *this;
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    std::uint64_t id() const noexcept { return id_; }
    /// When to confirm. It may have moved since: confirm says so.
    BootTime at() const noexcept { return at_; }

  private:
    friend class Budget;
    Cost cost_;
    std::uint64_t id_ = 0;
    std::uint64_t epoch_ = 0;
    BootTime at_{};
    BootTime deadline_{};
};

}  // namespace ratecoord
