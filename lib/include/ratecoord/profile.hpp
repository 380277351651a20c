// SPDX-License-Identifier: Apache-2.0
//
// What a venue enforces, read from a text file: its limits, and what each kind of request costs.
//
//     auto profile = ratecoord::Profile::load("binance-spot");
//     auto budget = ratecoord::Budget::open(profile->budget(), profile->limits());
//     auto cost = profile->cost("depth", {{"limit", 5000}});     // weight 250, raw 1
//
// PROMISE  What load returns has been checked: limits can be kept, costs fit them, names resolve.
//          Nothing about a venue is compiled in.
// UNITS    Typed time; units of the limits.
// SHARING  A handle to immutable data; copies are cheap, any thread may read.
// ERRORS   unknown_name: no profile, limit, operation or parameter of that name. invalid_argument:
//          the file is wrong, with file, line and reason; or an argument is.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/limit.hpp>
#include <ratecoord/result.hpp>

namespace ratecoord {

class Profile;

namespace venue {
struct Profile;
ratecoord::Profile handle_of(Profile model);
}  // namespace venue

/// One argument of a call that its cost depends on: {"limit", 5000}. Where only presence counts
/// ({"symbol"}) the value does not matter.
struct Argument {
    std::string_view name;
    std::uint64_t value = 1;
};

/// What one call draws from one limit.
struct ProfileCost {
    std::string_view limit;
    std::uint64_t units = 1;
    std::string_view per = {};  ///< the limit's dimension, whose key the caller knows; may be empty
};

struct OperationSummary {
    std::string_view name;
    Intent intent = Intent::read;
    Lane lane = Lane::normal;
    bool is_idempotent = true;
    std::vector<std::string_view> parameters;  ///< its cost depends on
};

/// When an order id may be used again.
enum class IdUniqueness : std::uint8_t { unknown, open, always, never };
const char* name_of(IdUniqueness uniqueness) noexcept;

/// What a venue says about orders whose fate is not known.
struct OrderRules {
    std::chrono::nanoseconds settle{0};          ///< after a send: no lookup counts as final before
    std::chrono::nanoseconds visible_within{0};  ///< a placed order may be invisible this long
    std::chrono::nanoseconds resend_within{0};   ///< a repeated id is the same order; 0: never rely
    std::string id_characters = {};              ///< every character an id may have; empty: unknown
    std::uint32_t id_longest = 0;                ///< 0: unknown
    IdUniqueness uniqueness = IdUniqueness::unknown;
};

class Profile {
  public:
    /// By name, searched in $RATECOORD_PROFILES, $XDG_CONFIG_HOME/ratecoord/profiles,
    /// /etc/ratecoord/profiles.d and the installed directory; or by path, which contains a '/' or
    /// ends in .toml.
    static Result<Profile> load(std::string_view name_or_path);
    /// From text; `file` stands in messages.
    static Result<Profile> parse(std::string_view text, std::string_view file);

    const std::string& name() const noexcept;
    /// The budget it draws on: its own name, unless venues share one pool.
    const std::string& budget() const noexcept;
    const std::string& title() const noexcept;
    const std::string& file() const noexcept;
    const std::string& as_of() const noexcept;  ///< 2026-07-21
    const std::string& source() const noexcept;
    /// 'A': the vendor's own text. 'B': a third party. 'C': weak.
    char confidence() const noexcept;
    const OrderRules& orders() const noexcept;

    /// As Budget::open takes them; `largest_cost` covers the operations.
    const std::vector<LimitDefinition>& limits() const noexcept;
    std::vector<OperationSummary> operations() const;
    Result<OperationSummary> operation(std::string_view name) const;

    /// What one call draws, at most 8 limits. A parameter the cost depends on must be given unless
    /// the profile says what its absence means; one it does not know is refused.
    Result<std::vector<ProfileCost>> cost(std::string_view operation,
                                          std::span<const Argument> arguments) const;
    Result<std::vector<ProfileCost>> cost(std::string_view operation,
                                          std::initializer_list<Argument> arguments = {}) const;

    /// What the layers of this library read. Lives as long as any copy of this handle.
    const venue::Profile& model() const noexcept { return *model_; }

  private:
    friend Profile venue::handle_of(venue::Profile model);
    struct Loaded;
    explicit Profile(std::shared_ptr<const Loaded> loaded) noexcept;
    std::shared_ptr<const Loaded> loaded_;
    const venue::Profile* model_ = nullptr;
};

/// A profile found on this host; the first of each name wins.
struct ProfileListing {
    std::string name;
    std::string path;
    std::string title;
    std::string as_of;
    char confidence = 'C';
    std::string problem;  ///< empty, or why it cannot be used
};
Result<std::vector<ProfileListing>> list_profiles();

}  // namespace ratecoord
