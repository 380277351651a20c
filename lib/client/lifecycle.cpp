// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <unistd.h>

#include <cerrno>

#include "client/impl.hpp"
#include "core/change.hpp"
#include "core/pause.hpp"

namespace ratecoord {
namespace client {

core::Instant to_instant(BootTime t) noexcept {
    return std::clamp<std::int64_t>(t.time_since_epoch().count(), 0, core::far / 2);
}

BootTime to_time(core::Instant t) noexcept {
    return BootTime(std::chrono::nanoseconds(t));
}

bool lapse_client(core::State& state, const core::Rules&, core::Instant, std::uint16_t slot,
                  std::uint32_t generation) {
    return core::lapse_slot(state, slot, generation) > 0;
}

Result<std::vector<core::LimitRecord>> records_of(std::span<const LimitDefinition> definitions) {
    std::vector<core::LimitRecord> records;
    for (const LimitDefinition& definition : definitions) {
        for (const LimitDefinition& other : definitions) {
            if (&other != &definition && other.name == definition.name) {
                return fail(ErrorCode::invalid_argument,
                            "limit '" + definition.name + "' is defined twice");
            }
        }
        auto record = core::to_record(definition);
        if (const auto* error = std::get_if<core::DefinitionError>(&record)) {
            return fail(ErrorCode::invalid_argument, error->message);
        }
        records.push_back(std::get<core::LimitRecord>(record));
    }
    if (records.empty()) {
        return fail(ErrorCode::invalid_argument, "a budget needs at least one limit");
    }
    return records;
}

core::Rules rules_of(const std::vector<core::LimitRecord>& records) {
    core::Rules rules;
    for (const core::LimitRecord& record : records) rules.current.push_back(core::compile(record));
    rules.previous.resize(rules.current.size());
    return rules;
}

}  // namespace client

namespace {

std::string program_name() {
    std::string name = program_invocation_short_name;
    return name.empty() ? "client" : name;
}

Result<std::optional<gid_t>> group_id(const std::string& group) {
    if (group.empty()) return std::optional<gid_t>{};
    errno = 0;
    const struct group* entry = ::getgrnam(group.c_str());
    if (entry == nullptr) {
        return fail(ErrorCode::invalid_argument, "there is no group '" + group + "'");
    }
    return std::optional<gid_t>(entry->gr_gid);
}

/// Which limits the budget before had under the very same definition.
std::uint64_t same_rules(const client::Stops& stops,
                         const std::vector<core::LimitRecord>& records) {
    std::uint64_t same = 0;
    for (std::size_t i = 0; i < records.size() && i < 64; ++i) {
        for (const auto& limit : stops.limits) {
            if (limit.name == records[i].name.data() && limit.hash == client::hash_of(records[i])) {
                same |= std::uint64_t{1} << i;
            }
        }
    }
    return same;
}

}  // namespace

Result<std::unique_ptr<Budget::Impl>> Budget::Impl::make(std::string_view name,
                                                         const OpenOptions& options,
                                                         const segment::Clock& clock) {
    auto place = segment::place_of(name);
    if (!place) return tl::unexpected(place.error());
    auto impl = std::make_unique<Impl>();
    impl->name = name;
    impl->name_hash = static_cast<std::uint32_t>(client::key_hash({}, name).low) | 1u;
    impl->place = std::move(*place);
    impl->options = options;
    impl->clock = &clock;
    if (impl->options.label.empty()) impl->options.label = program_name();
    return impl;
}

Result<Budget::Impl::Attached> Budget::Impl::attach() const {
    auto attached = segment::Segment::attach(place, {.label = options.label,
                                                     .lapse = client::lapse_client,
                                                     .clock = clock,
                                                     .spare = options.for_control});
    if (!attached) return tl::unexpected(attached.error());
    return std::make_unique<client::Attachment>(std::move(*attached));
}

Result<Budget::Impl::Attached> Budget::Impl::create(std::span<const LimitDefinition> wanted) {
    auto records = client::records_of(wanted);
    if (!records) return tl::unexpected(records.error());
    auto group = group_id(options.group);
    if (!group) return tl::unexpected(group.error());
    const core::Rules rules = client::rules_of(*records);
    std::string warning;
    const client::Stops stops = client::load_stops(place, warning);
    const segment::CreateOptions creation{
        .capacity = {options.clients, options.reservations, options.limits, options.keys},
        .group = *group,
        .definitions = *records,
        .fill =
            [&](core::State& state, core::Instant now) {
                core::create(state, rules, static_cast<std::uint16_t>(records->size()),
                             {.now = now,
                              .utc_offset = clock->utc_offset(),
                              .full = options.full,
                              .shadow = options.shadow,
                              .same_rules = same_rules(stops, *records)});
                // Ids of a segment that vanished mean nothing in this one.
                state.head->next_id = static_cast<std::uint64_t>(std::max<core::Instant>(now, 1));
                // Nobody may see the budget without the stops that still stand (G8).
                client::impose(state, rules, stops, now);
                if (warning.empty()) state.head->stops_saved = state.head->stops_version;
            },
        .clock = clock};
    auto made = segment::Segment::create(
        place, creation, {.label = options.label, .lapse = client::lapse_client, .clock = clock});
    if (!made) return tl::unexpected(made.error());
    auto attached = std::make_unique<client::Attachment>(std::move(*made));
    segment::Segment& segment = *attached->segment;
    segment.journal(segment::Event::created, options.full ? "created full" : "created");
    if (!warning.empty()) segment.journal(segment::Event::halted, warning);
    // Without it the next start is only colder; stops_saved tells what else is not on disk.
    if (auto saved = write_stops(*attached, nullptr); !saved) {
        segment.journal(segment::Event::note, saved.error().message);
    }
    return attached;
}

Result<Budget::Impl::Attached> Budget::Impl::attach_or_create(
    std::span<const LimitDefinition> wanted, bool must_exist) {
    constexpr int races_max = 8;
    for (int i = 0;; ++i) {
        auto attached = attach();
        if (attached || must_exist || i == races_max) return attached;
        if (attached.error().code == ErrorCode::version_mismatch) {
            // Where it is no relic, the next attempt says what it is.
            if (auto replaced = replace_relic(); !replaced) {
                return tl::unexpected(replaced.error());
            }
            continue;
        }
        if (attached.error().code != ErrorCode::no_such_budget) return attached;
        auto created = create(wanted);
        if (created || created.error().code != ErrorCode::already_exists) return created;
    }
}

void Budget::Impl::adopt(Attached attached) {
    attachments.push_back(std::move(attached));
    current.store(attachments.back().get(), std::memory_order_release);
}

Result<void> Budget::Impl::open(std::span<const LimitDefinition> wanted) {
    // Refused where it is written, even when another process made the budget already.
    if (auto records = client::records_of(wanted); !records) {
        return tl::unexpected(records.error());
    }
    auto attached = attach_or_create(wanted, options.must_exist);
    if (!attached) return tl::unexpected(attached.error());
    adopt(std::move(*attached));
    if (auto noted = note_conflicts(wanted); !noted) return noted;
    static_cast<void>(save_stops());  // what another process could not save
    return {};
}

/// Loads the profile that the options name, if any.
Result<void> Budget::Impl::use_named_profile() {
    if (options.profile.empty()) return {};
    auto wanted = Profile::load(options.profile);
    if (!wanted) return tl::unexpected(wanted.error());
    return use_profile(*wanted);
}

Result<Budget> client::Opening::open(std::string_view name,
                                     std::span<const LimitDefinition> definitions,
                                     const OpenOptions& options, const segment::Clock& clock) {
    auto impl = Budget::Impl::make(name, options, clock);
    if (!impl) return tl::unexpected(impl.error());
    if (auto opened = (*impl)->open(definitions); !opened) return tl::unexpected(opened.error());
    if (auto used = (*impl)->use_named_profile(); !used) return tl::unexpected(used.error());
    return Budget(std::move(*impl));
}

Result<Budget> client::Opening::open(std::string_view name, const Profile& profile,
                                     const OpenOptions& options, const segment::Clock& clock) {
    auto impl = Budget::Impl::make(name, options, clock);
    if (!impl) return tl::unexpected(impl.error());
    if (auto opened = (*impl)->open(profile.limits()); !opened) {
        return tl::unexpected(opened.error());
    }
    if (auto used = (*impl)->use_profile(profile); !used) return tl::unexpected(used.error());
    return Budget(std::move(*impl));
}

Result<Budget> Budget::open(std::string_view name, const Profile& profile,
                            const OpenOptions& options) {
    return client::Opening::open(name, profile, options, segment::SystemClock::instance());
}

Result<Budget> Budget::open(std::string_view name, const OpenOptions& options) {
    auto profile = Profile::load(options.profile.empty() ? name : options.profile);
    if (!profile) return tl::unexpected(profile.error());
    // Venues that count in one pool share one budget, whichever of their profiles names it.
    return open(options.profile.empty() ? profile->budget() : name, *profile, options);
}

Result<Budget> Budget::open(std::string_view name, std::span<const LimitDefinition> definitions,
                            const OpenOptions& options) {
    return client::Opening::open(name, definitions, options, segment::SystemClock::instance());
}

Result<Budget> Budget::open(std::string_view name,
                            std::initializer_list<LimitDefinition> definitions,
                            const OpenOptions& options) {
    return open(name, std::span(definitions.begin(), definitions.size()), options);
}

Result<Budget> Budget::create(std::string_view name, std::span<const LimitDefinition> definitions,
                              const OpenOptions& options) {
    auto impl = Impl::make(name, options);
    if (!impl) return tl::unexpected(impl.error());
    const bool full = (*impl)->options.full;
    auto created = (*impl)->create(definitions);
    if (!created && created.error().code == ErrorCode::already_exists) {
        auto replaced = (*impl)->replace_relic();
        (*impl)->options.full = full;  // here it is an operator's word about today
        if (replaced) created = (*impl)->create(definitions);
    }
    if (!created) return tl::unexpected(created.error());
    (*impl)->adopt(std::move(*created));
    if (auto used = (*impl)->use_named_profile(); !used) return tl::unexpected(used.error());
    return Budget(std::move(*impl));
}

Result<Budget> Budget::attach(std::string_view name, const OpenOptions& options) {
    auto impl = Impl::make(name, options);
    if (!impl) return tl::unexpected(impl.error());
    auto attached = (*impl)->attach();
    if (!attached) return tl::unexpected(attached.error());
    (*impl)->adopt(std::move(*attached));
    static_cast<void>((*impl)->save_stops());
    if (auto used = (*impl)->use_named_profile(); !used) return tl::unexpected(used.error());
    return Budget(std::move(*impl));
}

Budget::Budget(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Budget::Budget(Budget&&) noexcept = default;
Budget& Budget::operator=(Budget&&) noexcept = default;
Budget::~Budget() = default;

const std::vector<std::string>& Budget::conflicts() const noexcept {
    return impl_->conflicts;
}
const std::string& Budget::name() const noexcept {
    return impl_->name;
}

void leave_bus_errors_alone() noexcept {
    segment::PageGuard::leave_bus_errors_alone();
}

}  // namespace ratecoord
