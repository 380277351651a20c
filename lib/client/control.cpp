// SPDX-License-Identifier: Apache-2.0
#include "client/impl.hpp"
#include "core/pause.hpp"

namespace ratecoord {
namespace {

const char* name_of(PauseKind kind) noexcept {
    switch (kind) {
        case PauseKind::cooldown:
            return "cooldown";
        case PauseKind::ban:
            return "ban";
        case PauseKind::manual:
            return "manual pause";
    }
    return "pause";
}

std::string with_reason(std::string text, std::string_view reason) {
    if (!reason.empty()) text.append(": ").append(reason);
    return text;
}

}  // namespace

/// One short commit that stops or frees, then the journal, the plan, and the disk (B3).
Result<bool> Budget::Impl::stop(segment::Event event, std::string_view text,
                                const Change& change) noexcept {
    bool changed = false;
    auto done = commit(
        now() + client::stop_patience_ns,
        [&](client::Attachment&, core::State& state, const core::Rules& rules, core::Instant now) {
            changed = change(state, rules, now);
            return changed ? segment::Verdict::publish : segment::Verdict::discard;
        });
    if (!done) return tl::unexpected(done.error());
    if (!changed) return false;
    client::Attachment& a = attachment();
    if (event == segment::Event::pause || event == segment::Event::ban) {
        a.segment->count(segment::BudgetCounter::pauses);
    }
    a.segment->journal(event, text);
    // The stop stands, whoever brings the plan up to date, and whatever the disk says: stops_saved
    // tells everyone that it lags.
    static_cast<void>(refresh_plan(now() + client::patience_ns));
    if (auto saved = save_stops(); !saved) {
        a.segment->journal(segment::Event::note, saved.error().message);
    }
    return true;
}

Result<bool> Budget::pause(PauseKind kind, BootTime until, std::string_view reason) noexcept {
    const core::Instant end = client::to_instant(until);
    const auto seconds =
        (std::max<std::int64_t>(0, end - impl_->now()) + core::second_ns - 1) / core::second_ns;
    const auto event = kind == PauseKind::ban ? segment::Event::ban : segment::Event::pause;
    return impl_->stop(
        event, with_reason(name_of(kind) + (" of " + std::to_string(seconds)) + "s", reason),
        [&](core::State& state, const core::Rules& rules, core::Instant now) {
            return core::pause(state, rules, kind, core::none, end, now);
        });
}

Result<bool> Budget::pause_key(std::string_view dimension, std::string_view key, BootTime until,
                               std::string_view reason) noexcept {
    auto records = impl_->records();
    if (!records) return tl::unexpected(records.error());
    const bool known = std::any_of(records->begin(), records->end(), [&](const auto& record) {
        return !dimension.empty() && dimension == record.per.data();
    });
    if (!known) {
        return fail(ErrorCode::unknown_name,
                    "no limit is counted per '" + std::string(dimension) + "'");
    }
    if (key.empty()) return fail(ErrorCode::invalid_argument, "a key's name is empty");
    const client::KeyHash hash = client::key_hash(dimension, key);
    const core::Instant end = client::to_instant(until);
    std::uint16_t index = core::none;
    std::uint32_t generation = 0;
    auto paused = impl_->stop(
        segment::Event::pause,
        with_reason("pause of " + std::string(dimension) + " " + std::string(key), reason),
        [&](core::State& state, const core::Rules& rules, core::Instant now) {
            index = core::key_index(state, rules, hash.high, hash.low, now);
            if (index == core::none) return false;
            generation = state.key_storage[index].generation;
            return core::pause(state, rules, PauseKind::cooldown, index, end, now);
        });
    if (!paused) return paused;
    if (index == core::none) {
        return fail(ErrorCode::refused,
                    "no room for one more key in '" + impl_->name + "', and none is idle",
                    "pause the whole budget, or create it with more keys");
    }
    impl_->attachment().segment->set_key_name(index, generation, dimension, key);
    return paused;
}

Result<bool> Budget::resume(ResumeScope scope) noexcept {
    return impl_->stop(
        segment::Event::resumed, scope.ban ? "resume, ban overruled" : "resume",
        [&](core::State& state, const core::Rules& rules, core::Instant now) {
            return core::resume(
                state, rules,
                {.manual = scope.manual, .cooldown = scope.cooldown, .ban = scope.ban}, now);
        });
}

Result<void> Budget::reset(bool ignore_ban) noexcept {
    core::Instant ban_until = 0;
    // Looked at before the file is touched, and again inside the commit: a ban may come in between.
    auto current = snapshot();
    if (!current) return tl::unexpected(current.error());
    ban_until = current->pause_until[static_cast<std::size_t>(PauseKind::ban)];
    if (!ignore_ban && ban_until > impl_->now()) return Impl::banned(ban_until - impl_->now());
    // The file first: a crash in between must not bring back what a person cleared; the state that
    // still stands is stricter.
    auto written = impl_->write_stops(impl_->attachment(), [](client::Stops& stops) {
        ++stops.generation;
        stops.until_utc = {};
        stops.keys.clear();
        stops.strikes = 0;
    });
    if (!written) {
        impl_->attachment().segment->journal(segment::Event::note, written.error().message);
    }
    bool banned = false;
    auto done = impl_->stop(segment::Event::reset, ignore_ban ? "reset, ban overruled" : "reset",
                            [&](core::State& state, const core::Rules& rules, core::Instant now) {
                                ban_until = state.head->pause_until[1];
                                banned = !ignore_ban && ban_until > now;
                                if (!banned) core::reset(state, rules, now);
                                return !banned;
                            });
    if (!done) return tl::unexpected(done.error());
    if (banned) return Impl::banned(ban_until - impl_->now());
    return {};
}

tl::unexpected<Error> Budget::Impl::banned(std::int64_t left_ns) {
    return fail(ErrorCode::refused,
                "the venue banned this host for another " + client::describe(left_ns),
                "wait, or overrule it if you know that the venue has lifted it");
}

Result<void> Budget::halt(std::string_view reason) noexcept {
    auto done = impl_->stop(segment::Event::halted, with_reason("halt", reason),
                            [&](core::State& state, const core::Rules&, core::Instant) {
                                if (state.has(core::flag_halted)) return false;
                                core::halt(state);
                                return true;
                            });
    if (!done) return tl::unexpected(done.error());
    return {};
}

Result<void> Budget::unhalt(std::string_view reason) noexcept {
    auto done = impl_->stop(segment::Event::unhalted, with_reason("unhalt", reason),
                            [&](core::State& state, const core::Rules&, core::Instant) {
                                if (!state.has(core::flag_halted)) return false;
                                core::unhalt(state);
                                return true;
                            });
    if (!done) return tl::unexpected(done.error());
    return {};
}

}  // namespace ratecoord
