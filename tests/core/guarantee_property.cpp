// SPDX-License-Identifier: Apache-2.0
//
// G1, G2 and G3 over random histories of a whole budget: every kind of limit, keys, lanes, late
// confirmations, dead clients, pauses, changed limits, outside use, steps taken one at a time.
#include <map>

#include "core/any_history.hpp"
#include "core/reference_model.hpp"
#include "core/scratch_budget.hpp"
#include "support/catch.hpp"

using namespace core_test;

namespace {

enum class Act : std::uint8_t {
    wait,
    confirm,
    cancel,
    idle,
    lapse,
    pause,
    resume,
    key_pause,
    outside,
    give_back,
    step
};
constexpr int acts = 11;

constexpr std::array<std::int64_t, 5> windows = {100 * ms, s, 7 * s, 10 * s, 60 * s};

LimitRecord any_limit() {
    for (;;) {
        const auto bytes = *any_bytes<6>();
        LimitDefinition d;
        d.name = "l";
        d.kind = static_cast<LimitKind>(1 + bytes[0] % 4);
        d.quota = d.kind == LimitKind::spacing ? 1 : 1u + bytes[1] % 60;
        d.window = std::chrono::nanoseconds(windows[bytes[2] % windows.size()] + bytes[3]);
        d.slack = std::chrono::nanoseconds(5 * ms + bytes[3] * (bytes[2] >= 128 ? ms / 8 : ms));
        d.burst = bytes[4] % 3 == 0 ? 0 : 1 + bytes[4] % d.quota;
        d.spread = d.kind == LimitKind::fixed && bytes[5] % 2 == 1;
        d.per = bytes[5] % 8 == 3 ? "account" : "";
        d.reserve_percent = d.kind != LimitKind::spacing && bytes[5] >= 200 ? 10 : 0;
        const auto made = to_record(d);
        if (const auto* record = std::get_if<LimitRecord>(&made)) return *record;
        RC_DISCARD("a definition that cannot be kept");
    }
}

struct Sent {
    std::uint64_t id;
    Instant at;
    Instant valid_until;
    Request request;
    std::uint8_t critical_mask;
};

class Run {
  public:
    explicit Run(std::vector<LimitRecord> limits)
        : budget_(std::move(limits), options()), now_(100 * s) {
        for (const LimitRecord& record : budget_.records()) {
            step_ns_ =
                std::min(step_ns_, record.window_ns / static_cast<std::int64_t>(record.quota) + 1);
        }
    }

    void run(const Op& op) {
        now_ += op.c % 8 == 0 ? step_ns_ / 3 : 0;
        switch (static_cast<Act>(op.act)) {
            case Act::wait:
                now_ += step_ns_ * op.a / 64;
                break;
            case Act::idle:
                now_ += op.a < 8 ? 3600 * s : step_ns_ * op.a / 4;
                break;
            case Act::confirm:
                confirm(op);
                break;
            case Act::cancel:
                cancel(op);
                break;
            case Act::lapse:
                lapse(op);
                break;
            case Act::pause:
                pause(op, none);
                break;
            case Act::key_pause:
                pause(op, 0);
                break;
            case Act::resume:
                resume(op);
                break;
            case Act::outside:
                outside(op);
                break;
            case Act::give_back:
                give_back(op);
                break;
            case Act::step:
                static_cast<void>(
                    core::step(budget_.state(), budget_.rules(), budget_.workspace(), now_));
                break;
            default:
                ask(op);
        }
        RC_ASSERT(valid(budget_.state()));
        now_ = std::max(now_, budget_.head().last_instant);
    }

    void check() const {
        std::map<std::pair<std::uint16_t, std::uint64_t>, std::vector<Drawn>> drawn;
        for (const Sent& sent : sent_) {
            for (std::size_t i = 0; i < sent.request.count; ++i) {
                const Draw& draw = sent.request.draws[i];
                drawn[{draw.limit, draw.key_low}].push_back(
                    {sent.at, sent.valid_until, draw.units});
            }
        }
        for (const auto& [where, list] : drawn) {
            const auto why = broken(budget_.records()[where.first], list, offset);
            if (why) RC_FAIL("limit " + std::to_string(where.first) + ": " + *why);
        }
    }

  private:
    static constexpr std::int64_t offset = 1234567891;

    static ScratchBudget::Options options() {
        ScratchBudget::Options result;
        result.now = 100 * s;
        result.utc_offset = offset;
        return result;
    }

    void send(const Answer& answer, const Request& request) {
        RC_ASSERT(answer.at <= now_);
        RC_ASSERT(now_ <= answer.hand_out_until);
        RC_ASSERT(answer.hand_out_until <= answer.valid_until);
        for (std::size_t kind = 0; kind < 3; ++kind) RC_ASSERT(answer.at >= stopped_[kind]);
        for (std::size_t i = 0; i < request.count; ++i) {
            if (request.draws[i].key_low == key_) RC_ASSERT(answer.at >= key_stopped_);
        }
        sent_.push_back({answer.id, answer.at, answer.valid_until, request, answer.critical_mask});
    }

    void ask(const Op& op) {
        Request request = request_of({}, op.a < 64 ? 0 : now_ + step_ns_ * op.a,
                                     op.b >= 208 ? Lane::critical : Lane::normal,
                                     static_cast<Intent>(op.b % 3), 1 + op.c % 5);
        for (std::uint16_t i = 0; i < budget_.records().size(); ++i) {
            if (budget_.records().size() > 1 && (op.b >> i & 1) == 0) continue;
            const bool keyed = budget_.records()[i].per[0] != 0;
            Draw& draw = request.draws[request.count++];
            draw.limit = i;
            draw.units = 1 + (op.c >> 3) % 4u;
            draw.key_low = keyed ? 1 + op.c % 2u : 0;
        }
        if (request.count == 0) return;
        const Answer answer = budget_.ask(request, now_);
        if (answer.verdict == Verdict::granted) send(answer, request);
        if (answer.verdict == Verdict::reserved) waiting_[answer.id] = request;
        if (answer.verdict == Verdict::not_yet || answer.verdict == Verdict::paused) {
            RC_ASSERT(answer.at > std::max(now_, request.deadline));
        }
    }

    std::uint64_t pick(std::uint8_t which) const {
        if (waiting_.empty()) return 0;
        auto at = waiting_.begin();
        std::advance(at, which % waiting_.size());
        return at->first;
    }

    void confirm(const Op& op) {
        const std::uint64_t id = pick(op.a);
        if (id == 0) return;
        const Request request = waiting_[id];
        const Answer seen = budget_.where(id, now_, request.slot);
        // Somewhere between its instant and a little too late.
        if (seen.verdict == Verdict::reserved && op.b < 160 && seen.at > now_) now_ = seen.at;
        if (seen.verdict == Verdict::reserved && op.b % 4 == 0) {
            now_ = std::max(now_, seen.at + (seen.hand_out_until - seen.at) * (op.b % 9) / 7);
        }
        const Answer answer = budget_.confirm_at(id, now_, request.slot);
        if (answer.verdict == Verdict::reserved) return;
        waiting_.erase(id);
        if (answer.verdict == Verdict::granted) send(answer, request);
    }

    void cancel(const Op& op) {
        const std::uint64_t id = pick(op.a);
        if (id == 0 || !core::cancel(budget_.state(), id, waiting_[id].slot, 1, now_)) return;
        waiting_.erase(id);
    }

    void lapse(const Op& op) {
        const std::uint16_t slot = 1 + op.a % 5;
        static_cast<void>(lapse_slot(budget_.state(), slot, 1));
        std::erase_if(waiting_, [&](const auto& item) { return item.second.slot == slot; });
    }

    void pause(const Op& op, std::uint16_t key) {
        if (key != none && budget_.head().keys_in_use == 0) return;
        const auto kind = static_cast<PauseKind>(2 * (op.b % 2));
        const Instant until = now_ + step_ns_ * op.a / 8;
        const auto before = budget_.head().pause_until;
        static_cast<void>(core::pause(budget_.state(), budget_.rules(), kind, key, until, now_));
        for (std::size_t k = 0; k < 3; ++k) RC_ASSERT(budget_.head().pause_until[k] >= before[k]);
        if (key == none) {
            Instant& stopped = stopped_[static_cast<std::size_t>(kind)];
            stopped = std::max(stopped, until);
        } else {
            key_ = budget_.state().key_storage[0].hash_low;
            key_stopped_ = std::max(key_stopped_, until);
        }
    }

    void resume(const Op& op) {
        ResumeScope scope;
        scope.cooldown = op.a % 2 == 1;
        if (core::resume(budget_.state(), budget_.rules(), scope, now_)) {
            stopped_[2] = 0;
            if (scope.cooldown) stopped_[0] = 0;
        }
    }

    void outside(const Op& op) {
        const auto cell = static_cast<std::uint16_t>(op.a % budget_.head().cells_in_use);
        if (budget_.state().cell_storage[cell].in_use != 1) return;
        if (budget_.rules().of(budget_.state().cell_storage[cell]).is_fixed()) {
            static_cast<void>(observe_used(budget_.state(), budget_.rules(), budget_.workspace(),
                                           cell, op.b % 80, now_, now_));
        } else {
            static_cast<void>(observe_remaining(budget_.state(), budget_.rules(),
                                                budget_.workspace(), cell, op.b % 64, now_));
        }
    }

    void give_back(const Op& op) {
        if (sent_.empty()) return;
        const std::size_t which = sent_.size() - 1 - op.a % std::min<std::size_t>(4, sent_.size());
        const Sent sent = sent_[which];
        const auto returned = core::give_back(budget_.state(), budget_.rules(), sent.id,
                                              sent.request, sent.critical_mask, sent.at, now_);
        if (returned == 0) return;
        // Only a fixed limit gives back; what it gave back the venue never counted.
        Sent& kept = sent_[which];
        for (std::size_t i = 0; i < kept.request.count; ++i) {
            const auto kind = budget_.records()[kept.request.draws[i].limit].kind;
            if (kind != static_cast<std::uint8_t>(LimitKind::fixed)) continue;
            kept.request.draws[i].units = 0;
        }
    }

    ScratchBudget budget_;
    Instant now_;
    std::int64_t step_ns_ = 10 * s;
    std::map<std::uint64_t, Request> waiting_;
    std::vector<Sent> sent_;
    std::array<Instant, 3> stopped_{};
    std::uint64_t key_ = ~std::uint64_t{0};
    Instant key_stopped_ = 0;
};

void run_histories(std::size_t limits_max) {
    std::vector<LimitRecord> limits;
    const std::size_t count = *rc::gen::inRange<std::size_t>(1, limits_max + 1);
    for (std::size_t i = 0; i < count; ++i) limits.push_back(any_limit());
    Run run(limits);
    for (const Op& op : any_history(acts, 24, 3)) run.run(op);
    run.check();
}

}  // namespace

TEST_CASE("G1 G2 G3: one limit: no window over, nothing before a pause ends, pauses only grow") {
    REQUIRE(rc::check([] { run_histories(1); }));
}

TEST_CASE("G1 G2 G3: four limits: no window over, nothing before a pause ends, pauses only grow") {
    REQUIRE(rc::check([] { run_histories(4); }));
}
