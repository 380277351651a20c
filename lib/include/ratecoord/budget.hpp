// SPDX-License-Identifier: Apache-2.0
//
// One budget, shared by every process of this host.
//
//     auto budget = ratecoord::Budget::open("binance-spot");        // the profile of that name
//     auto cost = budget->operation("depth", {{"limit", 500}});
//     auto decision = budget->acquire(*cost, std::chrono::seconds(5));    // sleeps until our turn
//     if (*decision) {
//         ratecoord::Reply reply = send(...);
//         auto advice = budget->observe(decision->permit(), reply);  // everybody hears of a 429
//     }
//
// Without a profile: open("venue", {weight, raw}), cost({{"weight", 25}, {"raw", 1}}), and
// observe(permit, Outcome), pause(...) by hand.
//
// Three verbs on one engine: try_acquire never waits; acquire sleeps until its turn or the
// deadline, and is what most callers want; reserve/confirm/cancel hand the instant to an event loop.
//
// PROMISE  G1 to G8 of the README. Every call ends by its deadline (G6). Nothing throws.
// UNITS    Typed time; instants of BootClock.
// SHARING  Every member may be called by any thread at once. After fork() the child's copy
//          re-attaches as a client of its own at its first call.
// ERRORS   Result<T>: the environment failed and no permit is given (G7). What the budget decides
//          is a Decision, never an error. Likely errors of every call: detached, segment_corrupt,
//          deadline_exceeded (the budget could not be had in time; nothing was drawn).
// COST     try_acquire allocates nothing and makes no system call, but once a second an fstat and
//          a look at the wall clock.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/limit.hpp>
#include <ratecoord/permit.hpp>
#include <ratecoord/profile.hpp>
#include <ratecoord/reply.hpp>
#include <ratecoord/result.hpp>
#include <ratecoord/snapshot.hpp>

namespace ratecoord {

namespace client {
struct Opening;
}

struct OpenOptions {
    std::string label = {};    ///< how tools show this client; empty: the program's name
    std::string profile = {};  ///< name or path of the profile that reads replies and prices
                               ///< operations; empty: none, but open(name) takes the name's own
    bool must_exist = false;   ///< open() then never creates
    bool for_control = false;  ///< for who changes a budget and leaves: finds room in a full one,
                               ///< and waits up to 2.5 s for it
    std::uint32_t clients = 128;
    std::uint32_t reservations = 512;
    std::uint32_t limits = 32;
    std::uint32_t keys = 64;
    bool full = false;       ///< creation: the operator's word that nothing was sent lately
    bool shadow = false;     ///< creation: count and report, never hold anyone up
    std::string group = {};  ///< creation: mode 0660 for this group; empty: 0600
};

/// One limit a request draws from.
struct CostItem {
    std::string_view limit;
    std::uint64_t units = 1;
    std::string_view key = {};  ///< where the limit is keyed: "main" of orders per account
};

/// Whose account an operation is for, where its limits are counted per account.
struct KeyName {
    std::string_view dimension;  ///< "account", as the limit's `per` says
    std::string_view name;
};

/// What set() did to one limit.
struct LimitChange {
    enum class Kind : std::uint8_t { same, added, stricter, beside };
    std::string name;
    Kind kind = Kind::same;
    std::string before;  ///< empty for an added one
    std::string after;
    BootTime settled_at{};  ///< beside: both rules count until then
};

struct ResumeScope {
    bool manual = true;
    bool cooldown = false;
    bool ban = false;  ///< overrules the venue
};

class Budget {
  public:
    /// Attaches to a budget, or creates it, from the limits of a profile: that called `name`, whose
    /// budget() it then is (venues that share a pool name one), or options.profile. Further errors:
    /// unknown_name (no such profile), invalid_argument (the profile is wrong: file, line and
    /// reason).
    static Result<Budget> open(std::string_view name, const OpenOptions& options = {});
    static Result<Budget> open(std::string_view name, const Profile& profile,
                               const OpenOptions& options = {});
    /// Attaches to the budget `name`, or creates it from `definitions`. Definitions that differ
    /// from those in force are not applied: conflicts() names them. What another boot left in a
    /// directory that outlives it is replaced, cold, and its stops are kept. Errors: invalid_argument,
    /// permission_denied, version_mismatch, segment_corrupt, segment_full, out_of_space, system.
    static Result<Budget> open(std::string_view name, std::span<const LimitDefinition> definitions,
                               const OpenOptions& options = {});
    static Result<Budget> open(std::string_view name,
                               std::initializer_list<LimitDefinition> definitions,
                               const OpenOptions& options = {});
    /// Creates it; already_exists if it is there (what another boot left is not).
    static Result<Budget> create(std::string_view name,
                                 std::span<const LimitDefinition> definitions,
                                 const OpenOptions& options = {});
    /// Attaches; no_such_budget if it is not there.
    static Result<Budget> attach(std::string_view name, const OpenOptions& options = {});

    Budget(Budget&&) noexcept;
    Budget& operator=(Budget&&) noexcept;
    ~Budget();

    /// Resolves names once. Errors: unknown_name, invalid_argument (0 units, a limit named twice,
    /// more than 8, a key missing or where none belongs, units that can never fit).
    Result<Cost> cost(std::initializer_list<CostItem> items) const;
    Result<Cost> cost(std::span<const CostItem> items) const;

    /// What an operation of the profile costs with these arguments; its lane and intent come with
    /// it. Errors: unknown_name, invalid_argument (no profile, a parameter or a key missing).
    Result<Cost> operation(std::string_view name, std::initializer_list<Argument> arguments = {},
                           std::initializer_list<KeyName> keys = {}) const;
    Result<Cost> operation(std::string_view name, std::span<const Argument> arguments,
                           std::span<const KeyName> keys) const;
    /// The profile in use; null without one.
    const Profile* profile() const noexcept;

    /// A permit now, or why not. Never waits for room.
    Result<Decision> try_acquire(const Cost& cost) noexcept;
    /// Sleeps until the permit's instant, at most to `deadline`.
    Result<Decision> acquire(const Cost& cost, BootTime deadline) noexcept;
    Result<Decision> acquire(const Cost& cost, std::chrono::nanoseconds timeout) noexcept;

    /// A place in the calendar in `reservation`, to be confirmed at its instant; or, at once, a
    /// granted permit in the decision (then reservation.id() is 0); or a refusal.
    Result<Decision> reserve(const Cost& cost, BootTime deadline,
                             Reservation& reservation) noexcept;
    /// Granted: send. Otherwise not_yet with a reservation whose at() may have moved (come back
    /// then), or with reservation.id() 0: it lapsed or was pushed past its deadline.
    Result<Decision> confirm(Reservation& reservation) noexcept;
    /// Waits until the reservation's instant, or until it may have moved; at most to `until`.
    void wait(const Reservation& reservation, BootTime until) noexcept;

    /// Whether a reservation may stand elsewhere than at() by now: a look that takes nanoseconds,
    /// for event loops between two timers.
    bool may_have_moved(const Reservation& reservation) const noexcept;

    /// Gives a reservation's units back, exactly. False if its instant has come.
    Result<bool> cancel(Reservation& reservation) noexcept;
    /// Gives an unused permit back where that cannot let too much through (fixed limits, while its
    /// window runs); the units that came back.
    Result<std::uint64_t> cancel(Permit& permit) noexcept;

    /// Reads the reply by the profile and does for every process of the host what it says: merges
    /// the venue's counts, gives back what was not charged, sets the pause or the ban, answers the
    /// probe. A stop longer than 10 s is on disk when it returns. Error invalid_argument: no
    /// profile.
    Result<Advice> observe(Permit& permit, const Reply& reply) noexcept;
    /// Reports what became of the request. The reply to the probe after a ban opens the budget.
    Result<void> observe(Permit& permit, Outcome outcome) noexcept;
    /// The venue's count of units used in the fixed window that holds `at`.
    Result<void> observe_used(const CostItem& limit, std::uint64_t used, BootTime at) noexcept;
    /// The venue's count of units left now (bucket, rolling).
    Result<void> observe_remaining(const CostItem& limit, std::uint64_t remaining) noexcept;

    /// Stops every process until `until`, or those that draw on one key. False if it was that long
    /// already (G3). Returns once every later permit obeys it, and it is saved if longer than 10 s.
    Result<bool> pause(PauseKind kind, BootTime until, std::string_view reason = {}) noexcept;
    Result<bool> pause_key(std::string_view dimension, std::string_view key, BootTime until,
                           std::string_view reason = {}) noexcept;
    Result<bool> resume(ResumeScope scope) noexcept;
    /// Clears pauses and strikes; buckets start empty, one probe goes first if a ban stood. Error
    /// refused while a ban stands, unless `ignore_ban`.
    Result<void> reset(bool ignore_ban) noexcept;
    Result<void> halt(std::string_view reason) noexcept;
    Result<void> unhalt(std::string_view reason) noexcept;

    /// Takes units of the host-wide retry budget (backoff.hpp). False: too few are left on this
    /// host; do not send again.
    Result<bool> spend_retry_units(std::uint32_t units) noexcept;
    Result<void> return_retry_units(std::uint32_t units) noexcept;

    /// Adds or changes limits for every process, without ever breaking G1 in the transition. Error
    /// refused where a limit was loosened a moment ago, with the instant it may be made.
    Result<std::vector<LimitChange>> set(std::span<const LimitDefinition> definitions,
                                         bool dry_run = false);

    Result<Snapshot> snapshot() const;
    /// Of the segment that this object holds, also once it is destroyed, up to the next call that
    /// attaches anew. journal_follower.hpp picks what is new.
    JournalPage journal() const;
    /// One sentence for each definition given to open() that is not the one in force.
    const std::vector<std::string>& conflicts() const noexcept;
    const std::string& name() const noexcept;

    /// Takes dead clients' reservations out, saves stops that are not on disk, and makes the budget
    /// anew where its name has vanished; how many clients were swept. Waiters and the daemon do
    /// this by themselves.
    Result<std::size_t> sweep() noexcept;

  private:
    friend struct client::Opening;
    struct Impl;
    explicit Budget(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

/// A budget found on this host, readable or not.
struct BudgetListing {
    std::string name;
    std::string path;
    std::string problem;  ///< empty, or why it cannot be read
};
/// Every budget of the directory in force (RATECOORD_DIR, /run/ratecoord, /dev/shm); root sees all.
Result<std::vector<BudgetListing>> list_budgets();

/// From now on this process never gets a SIGBUS handler from this library; call it before the first
/// budget is opened. Without the handler a budget's file that somebody cuts short ends the program;
/// with it (README, Limitations) every call reports segment_corrupt.
void leave_bus_errors_alone() noexcept;

/// Reads a budget without taking a slot or a lock; works on one that is full or stopped.
Result<Snapshot> read_snapshot(std::string_view name);
Result<std::vector<JournalEntry>> read_journal(std::string_view name, std::size_t last);
/// All that is there, for who follows it.
Result<JournalPage> read_journal_page(std::string_view name);

/// What stands on disk of a budget's bans, long pauses and halts.
struct SavedStops {
    std::string directory;  ///< where this process would save them
    std::string path;
    bool exists = false;
    std::string problem;    ///< empty, or why the file cannot be read; it counts as a halt
    std::string set_aside;  ///< path of an unreadable file that was kept; empty: none
};
/// Reads the file without its lock, and changes nothing.
Result<SavedStops> read_saved_stops(std::string_view name);

/// Publishes `retired`, then removes the name: clients get `detached`. `unusable`: removes also
/// what cannot be attached (damaged, another format, another boot), if it is a file of this user.
Result<void> destroy(std::string_view name, bool unusable = false);

}  // namespace ratecoord
