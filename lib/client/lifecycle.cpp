// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <unistd.h>

#include <cerrno>

#include "client/impl.hpp"
#include "core/pause.hpp"

namespace ratecoord {
namespace client {

core::Instant to_instant(BootTime t) noexcept {
    return std::clamp<std::int64_t>(t.time_since_epoch().count(), 0, core::far / 2);
}

BootTime to_time(core::Instant t) noexcept { return BootTime(std::chrono::nanoseconds(t)); }

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
            if (limit.name == records[i].name.data() &&
                limit.hash == client::hash_of(records[i])) {
                same |= std::uint64_t{1} << i;
            }
        }
    }
    return same;
}

}  // namespace

Result<std::unique_ptr<Budget::Impl>> Budget::Impl::make(std::string_view name,
                                                         const OpenOptions& options) {
    auto place = segment::place_of(name);
    if (!place) return tl::unexpected(place.error());
    auto impl = std::make_unique<Impl>();
    impl->name = name;
    impl->place = std::move(*place);
    impl->options = options;
    if (impl->options.label.empty()) impl->options.label = program_name();
    return impl;
}

Result<void> Budget::Impl::attach() {
    auto attached = segment::Segment::attach(
        place, {.label = options.label, .lapse = client::lapse_client, .clock = clock});
    if (!attached) return tl::unexpected(attached.error());
    attachments.push_back(std::make_unique<client::Attachment>(std::move(*attached)));
    current.store(attachments.back().get(), std::memory_order_release);
    return {};
}

Result<void> Budget::Impl::create(std::span<const LimitDefinition> wanted) {
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
                // Nobody may see the budget without the stops that still stand (G8).
                client::impose(state, rules, stops, now);
                state.head->stops_saved = state.head->stops_version;
            },
        .clock = clock};
    auto made = segment::Segment::create(
        place, creation, {.label = options.label, .lapse = client::lapse_client, .clock = clock});
    if (!made) return tl::unexpected(made.error());
    attachments.push_back(std::make_unique<client::Attachment>(std::move(*made)));
    current.store(attachments.back().get(), std::memory_order_release);
    client::Attachment& a = attachment();
    a.segment->journal(segment::Event::created, options.full ? "created full" : "created");
    if (!warning.empty()) a.segment->journal(segment::Event::halted, warning);
    return save_definitions();
}

Result<Budget> Budget::open(std::string_view name, std::span<const LimitDefinition> definitions,
                            const OpenOptions& options) {
    auto impl = Impl::make(name, options);
    if (!impl) return tl::unexpected(impl.error());
    // Refused where it is written, even when another process made the budget already.
    if (auto records = client::records_of(definitions); !records) {
        return tl::unexpected(records.error());
    }
    (*impl)->definitions.assign(definitions.begin(), definitions.end());
    constexpr int races_max = 8;
    for (int i = 0;; ++i) {
        auto attached = (*impl)->attach();
        if (attached) break;
        const bool absent = attached.error().code == ErrorCode::no_such_budget;
        if (!absent || options.must_exist || i == races_max) {
            return tl::unexpected(attached.error());
        }
        auto created = (*impl)->create(definitions);
        if (created) break;
        if (created.error().code != ErrorCode::already_exists) {
            return tl::unexpected(created.error());
        }
    }
    if (auto noted = (*impl)->note_conflicts(definitions); !noted) {
        return tl::unexpected(noted.error());
    }
    static_cast<void>((*impl)->save_stops());  // what another process could not save
    return Budget(std::move(*impl));
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
    (*impl)->definitions.assign(definitions.begin(), definitions.end());
    if (auto created = (*impl)->create(definitions); !created) {
        return tl::unexpected(created.error());
    }
    return Budget(std::move(*impl));
}

Result<Budget> Budget::attach(std::string_view name, const OpenOptions& options) {
    auto impl = Impl::make(name, options);
    if (!impl) return tl::unexpected(impl.error());
    if (auto attached = (*impl)->attach(); !attached) return tl::unexpected(attached.error());
    auto in_force = (*impl)->definitions_in_force();
    if (!in_force) return tl::unexpected(in_force.error());
    (*impl)->definitions = std::move(*in_force);
    static_cast<void>((*impl)->save_stops());
    return Budget(std::move(*impl));
}

/// The name vanished: the next segment of that name is joined, or made cold, and learns the stops of
/// the lost one. Limits are never merged: a new segment gives nothing for two seconds and more.
Result<client::Attachment*> Budget::Impl::reattach(client::Attachment* lost) {
    const std::scoped_lock held(attaching);
    if (current.load(std::memory_order_acquire) != lost) return &attachment();
    const auto why = lost->segment->detachment();
    if (why == segment::Detachment::retired) {
        return fail(ErrorCode::detached, "budget '" + name + "' was destroyed",
                    "create it anew if bots still need it");
    }
    segment::StateCopy before = lost->segment->view().make_copy();
    const bool known = lost->segment->view().snapshot(before).has_value();
    constexpr int races_max = 8;
    for (int i = 0;; ++i) {
        auto attached = attach();
        if (attached) break;
        if (attached.error().code != ErrorCode::no_such_budget || i == races_max) {
            return tl::unexpected(attached.error());
        }
        auto created = create(definitions);
        if (created) break;
        if (created.error().code != ErrorCode::already_exists) {
            return tl::unexpected(created.error());
        }
    }
    if (!known) return &attachment();
    const client::Stops stops = client::stops_of(before.state(), {});
    const auto carried = attachment().segment->commit(
        now() + client::patience_ns,
        [&](core::State& state, const core::Rules& rules, core::Instant now) {
            client::impose(state, rules, stops, now);
            return true;
        });
    if (!carried.ok()) return tl::unexpected(attachment().segment->error_of(carried));
    attachment().segment->journal(segment::Event::attached, "the name vanished; stops carried over");
    return &attachment();
}

Budget::Budget(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Budget::Budget(Budget&&) noexcept = default;
Budget& Budget::operator=(Budget&&) noexcept = default;
Budget::~Budget() = default;

const std::vector<std::string>& Budget::conflicts() const noexcept { return impl_->conflicts; }
const std::string& Budget::name() const noexcept { return impl_->name; }

}  // namespace ratecoord
