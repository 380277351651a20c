// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "client/impl.hpp"
#include "core/change.hpp"
#include "venue/duration.hpp"

namespace ratecoord {
namespace client {

std::string describe(std::int64_t ns) {
    constexpr auto units = std::span(venue::duration_units).first<6>();  // down to microseconds
    for (const auto& unit : units) {
        constexpr std::int64_t legible = 10'000;
        if (ns >= unit.ns && ns % unit.ns == 0 && ns / unit.ns < legible) {
            return std::to_string(ns / unit.ns).append(unit.name);
        }
    }
    // The two largest units, as in 2d 3h; less than a thousandth is left out.
    std::string text;
    int parts = 0;
    const std::int64_t least = ns / 1'000;
    for (const auto& unit : units) {
        if (ns < unit.ns || parts == 2 || (parts == 1 && ns < least)) continue;
        text += (parts++ == 0 ? "" : " ") + std::to_string(ns / unit.ns);
        text += unit.name;
        ns %= unit.ns;
    }
    return parts > 0 ? text : std::to_string(ns) + "ns";
}

std::string describe(const LimitDefinition& d) {
    std::string text = std::to_string(d.quota) + " per " + describe(d.window.count());
    switch (d.kind) {
        case LimitKind::bucket:
            text += ", bucket of " + std::to_string(d.burst);
            break;
        case LimitKind::rolling:
            text += ", rolling, burst " + std::to_string(d.burst);
            break;
        case LimitKind::fixed:
            text += ", fixed";
            break;
        case LimitKind::spacing:
            text += ", spacing";
            break;
    }
    if (d.spread) text += ", spread with burst " + std::to_string(d.burst);
    text += ", slack " + describe(d.slack.count());
    if (!d.per.empty()) text += ", per " + d.per;
    if (d.reserve_percent != 0) text += ", reserve " + std::to_string(d.reserve_percent) + "%";
    return text;
}

}  // namespace client

namespace {

bool same_rule(core::LimitRecord a, core::LimitRecord b) noexcept {
    // The largest cost only picks the default burst, which is compared itself.
    a.largest_cost = b.largest_cost = 1;
    return a == b;
}

std::size_t index_of(const std::vector<core::LimitRecord>& records, const char* name) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const auto& record) {
        return std::string_view(record.name.data()) == name;
    });
    return static_cast<std::size_t>(found - records.begin());
}

/// What set() is about to do: the definitions after it, and a line for each limit named.
struct Redefinition {
    segment::Definitions after;
    std::vector<LimitChange> changes;
    std::vector<std::uint16_t> changed;
    std::uint16_t before = 0;  ///< limits before; those from here on are new
};

bool predecessor_counts(const core::State& state, std::uint16_t limit) noexcept {
    const auto cells = state.cells();
    return std::any_of(cells.begin(), cells.end(), [&](const core::Cell& cell) {
        return cell.in_use == 2 && cell.limit == limit;
    });
}

tl::unexpected<Error> too_soon(const char* name, std::int64_t left_ns) {
    return fail(ErrorCode::refused,
                "limit '" + std::string(name) +
                    "' was loosened a moment ago; its rule before still "
                    "counts for " +
                    client::describe(left_ns),
                "set it again after that");
}

Result<Redefinition> plan_change(const core::State& state, const core::Rules& rules,
                                 const segment::Definitions& in_force,
                                 const std::vector<core::LimitRecord>& wanted, core::Instant now) {
    Redefinition plan;
    plan.after = in_force;
    plan.before = static_cast<std::uint16_t>(in_force.current.size());
    for (std::uint16_t i = 0; i < plan.before; ++i) {
        if (!predecessor_counts(state, i)) plan.after.previous[i] = core::LimitRecord{};
    }
    for (const core::LimitRecord& record : wanted) {
        LimitChange change;
        change.name = record.name.data();
        change.after = client::describe(core::to_definition(record));
        const std::size_t index = index_of(in_force.current, record.name.data());
        if (index == in_force.current.size()) {
            change.kind = LimitChange::Kind::added;
            plan.after.current.push_back(record);
            plan.after.previous.push_back(core::LimitRecord{});
            plan.changes.push_back(std::move(change));
            continue;
        }
        const core::LimitRecord& old_record = in_force.current[index];
        change.before = client::describe(core::to_definition(old_record));
        const auto limit = static_cast<std::uint16_t>(index);
        if (!same_rule(old_record, record)) {
            if (old_record.per != record.per) {
                return fail(ErrorCode::invalid_argument,
                            "limit '" + change.name + "': what it is counted per cannot change",
                            "add a limit of another name");
            }
            core::Instant until = 0;
            const auto verdict =
                core::classify(state, rules, limit, core::compile(record), now, until);
            if (verdict == core::Change::refused) return too_soon(change.name.c_str(), until - now);
            const bool beside = verdict == core::Change::beside;
            change.kind = beside ? LimitChange::Kind::beside : LimitChange::Kind::stricter;
            if (beside) {
                plan.after.previous[index] = old_record;
                const std::int64_t longest = std::max(old_record.window_ns + old_record.slack_ns,
                                                      record.window_ns + record.slack_ns);
                change.settled_at = client::to_time(now + longest);
            }
            plan.changed.push_back(limit);
            plan.after.current[index] = record;
        }
        plan.changes.push_back(std::move(change));
    }
    return plan;
}

}  // namespace

Result<void> Budget::Impl::note_conflicts(std::span<const LimitDefinition> wanted) {
    auto wanted_records = client::records_of(wanted);
    if (!wanted_records) return tl::unexpected(wanted_records.error());
    auto in_force = records();
    if (!in_force) return tl::unexpected(in_force.error());
    for (const core::LimitRecord& record : *wanted_records) {
        const std::size_t index = index_of(*in_force, record.name.data());
        const std::string mine = client::describe(core::to_definition(record));
        if (index == in_force->size()) {
            conflicts.push_back("limit '" + std::string(record.name.data()) + "' (" + mine +
                                ") is not in the budget");
        } else if (!same_rule((*in_force)[index], record)) {
            conflicts.push_back("limit '" + std::string(record.name.data()) + "' is " +
                                client::describe(core::to_definition((*in_force)[index])) +
                                " in the budget, not " + mine);
        }
    }
    return {};
}

Result<std::vector<LimitChange>> Budget::set(std::span<const LimitDefinition> definitions,
                                             bool dry_run) {
    auto wanted = client::records_of(definitions);
    if (!wanted) return tl::unexpected(wanted.error());
    client::Attachment& a = impl_->attachment();
    const segment::View& view = a.segment->view();
    segment::StateCopy copy = view.make_copy();
    if (auto read = view.snapshot(copy); !read) return tl::unexpected(read.error());
    auto in_force = view.definitions(copy);
    if (!in_force) return tl::unexpected(in_force.error());
    in_force->previous.resize(in_force->current.size());
    core::Rules rules;
    segment::compile_into(rules, in_force->current, in_force->previous);
    auto plan = plan_change(copy.state(), rules, *in_force, *wanted, impl_->now());
    if (!plan) return tl::unexpected(plan.error());
    const bool nothing =
        plan->changed.empty() && plan->after.current.size() == in_force->current.size();
    if (dry_run || nothing) return plan->changes;

    const std::uint64_t version = copy.state().head->definitions_version;
    bool raced = false;
    auto done =
        a.segment->redefine(plan->after, impl_->now() + core::second_ns,
                            [&](core::State& state, const core::Rules& before,
                                const core::Rules& after, core::Instant now) {
                                // redefine() has named the new copy already; anything else that
                                // changed meanwhile voids the plan.
                                raced = state.head->definitions_version != version + 1;
                                state.head->limits_in_use = plan->before;
                                for (const std::uint16_t limit : plan->changed) {
                                    raced = raced || !core::change_limit(state, before, limit,
                                                                         after.current[limit], now);
                                }
                                for (std::size_t i = plan->before; i < after.current.size(); ++i) {
                                    core::add_limit(state, after.current[i], now);
                                }
                                return !raced;
                            });
    if (!done) return tl::unexpected(done.error());
    if (raced) {
        return fail(ErrorCode::busy, "the definitions of '" + impl_->name + "' changed meanwhile",
                    "look at them and set it again");
    }
    for (const LimitChange& change : plan->changes) {
        if (change.kind == LimitChange::Kind::same) continue;
        a.segment->journal(segment::Event::redefined, change.name + ": " + change.after);
    }
    if (auto fresh = impl_->refresh_plan(impl_->now() + core::second_ns); !fresh) {
        return tl::unexpected(fresh.error());
    }
    static_cast<void>(impl_->save_definitions());
    return plan->changes;
}

}  // namespace ratecoord
