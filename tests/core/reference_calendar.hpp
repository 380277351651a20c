// SPDX-License-Identifier: Apache-2.0
//
// A calendar that tries every instant.
//
// PROMISE  earliest() is the first nanosecond at which the definitions of DESIGN sections 3 and 4
//          hold for the request and for everyone in the calendar, found by replaying everything
//          that was ever drawn, once for each instant. For rules of a few nanoseconds only.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/reference_model.hpp"
#include "core/state.hpp"

namespace core_test {

struct ReferenceCharge {
    std::uint16_t cell = 0;
    std::uint32_t units = 1;
    bool critical = false;  ///< took the critical lane
};

struct ReferenceEntry {
    std::uint64_t id = 0;
    std::int64_t at = 0;
    std::int64_t hand_out_until = 0;
    std::int64_t valid_until = 0;
    std::int64_t deadline = 0;
    bool is_critical = false;
    std::vector<ReferenceCharge> charges;
};

class ReferenceCalendar {
  public:
    ReferenceCalendar(const std::vector<ratecoord::core::LimitRecord>& limits,
                      std::int64_t utc_offset);

    /// Beyond this far ahead nothing is looked for.
    static constexpr std::int64_t horizon = 1500;

    const std::vector<ReferenceEntry>& live() const { return live_; }
    /// All that may have been sent.
    const std::vector<ReferenceEntry>& spent() const { return all_spent_; }
    std::int64_t earliest_start(std::int64_t now) const;

    /// What was not confirmed in time is spent.
    void lapse(std::int64_t now);
    /// Where `entry` would go; its at is past the horizon where nowhere.
    void place(ReferenceEntry& entry, std::int64_t from) const;
    void enter(const ReferenceEntry& entry) { live_.push_back(entry); }
    void spend(std::uint64_t id);
    void spend_at_once(const ReferenceEntry& entry);
    void remove(std::uint64_t id);
    void advance(std::int64_t now);
    void replan(std::int64_t now);
    void pause(std::int64_t until, std::int64_t now);
    void resume(std::int64_t now);
    /// The rule of `limit` becomes `record`, beside what it was.
    void change_beside(std::size_t limit, const ratecoord::core::LimitRecord& record,
                       std::int64_t now);

  private:
    struct Base {
        std::int64_t full_at = 0;
        std::map<std::int64_t, std::uint64_t> used;
    };
    struct Timeline {
        explicit Timeline(const ratecoord::core::LimitRecord& record) : rule(derive(record)) {}
        ReferenceRule rule;
        std::int64_t expires = INT64_MAX;
        std::int64_t opens_at = INT64_MIN;
        std::int64_t paced_until = 0;
        Base base[2];
    };
    struct Event {
        std::int64_t at;
        std::uint64_t id;
        std::uint32_t units;
        bool must_fit;
    };
    struct Limit {
        std::vector<Timeline> rules;  ///< the current one, then its predecessor
    };

    bool draw(const Timeline& timeline, std::size_t lane, Base& base, const Event& event) const;
    bool lane_fits(const ReferenceEntry& ask, std::size_t charge, bool critical,
                   std::int64_t t) const;
    bool fits(ReferenceEntry& ask, std::int64_t t) const;
    void stamp(ReferenceEntry& entry) const;
    void fold_all();
    void restart_empty(Timeline& timeline, std::int64_t until) const;

    std::vector<Limit> limits_;
    std::int64_t utc_offset_ = 0;
    std::int64_t paused_until_ = 0;
    std::vector<ReferenceEntry> live_;
    std::vector<ReferenceEntry> spent_;  ///< not in the base yet
    std::vector<ReferenceEntry> all_spent_;
};

}  // namespace core_test
