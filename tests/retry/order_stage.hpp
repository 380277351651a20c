// SPDX-License-Identifier: Apache-2.0
//
// A venue that keeps orders in memory, and place_order at it, under a clock that the test turns.
//
// PROMISE  As Binance Spot documents: a client id is unique among open orders alone. Lookups see an
//          order only once it is visible. Every POST and every lookup is written down.
// SHARING  One thread.
#pragma once

#include "retry/stage.hpp"

namespace ratecoord::testing {

class OrderVenue {
  public:
    struct Placed {
        std::string client_id;
        std::string status;
        BootTime at;
        BootTime visible_at;
    };
    struct Post {
        std::string client_id;
        BootTime at;
    };

    explicit OrderVenue(Scene& scene) : scene_(scene) {}

    std::vector<Placed> orders;
    std::vector<Post> posts;
    std::vector<BootTime> lookups;

    void note_post(std::string_view id) { posts.push_back({std::string(id), scene_.now()}); }
    void apply(std::string_view id, std::string status = "FILLED",
               std::chrono::nanoseconds visible_after = {}, std::chrono::nanoseconds late = {}) {
        const BootTime at = scene_.now() + late;
        orders.push_back({std::string(id), std::move(status), at, at + visible_after});
    }
    std::size_t count(std::string_view id) const {
        return static_cast<std::size_t>(std::count_if(
            orders.begin(), orders.end(), [&](const Placed& p) { return p.client_id == id; }));
    }

    /// 200 with a list where there is one; 400 with -2013 where there is none.
    Finding find(std::string_view id) {
        lookups.push_back(scene_.now());
        Finding finding;
        finding.orders = 0;
        for (const Placed& order : orders) {
            if (order.client_id != id || order.visible_at > scene_.now()) continue;
            ++finding.orders;
            finding.status = order.status;
            finding.placed_utc_ns = order.at.time_since_epoch().count() + scene_.clock.utc_offset();
        }
        finding.reply.status = finding.orders > 0 ? 200 : 400;
        finding.reply.body = finding.orders > 0 ? "[...]" : R"({"code":-2013})";
        return finding;
    }

  private:
    Scene& scene_;
};

struct OrderStage : Stage {
    StagePort port = Stage::port();
    OrderVenue venue{*this};
    OrderLedger ledger = OrderLedger::in_memory();
    OrderPolicy policy{.ledger = &ledger};
    Order order{.client_id = "m-1",
                .symbol = "BTCUSDT",
                .cost = cost_of(port, 1, Intent::open),
                .lookup_cost = cost_of(port, 4)};

    using Send = std::function<Reply(std::string_view id)>;

    /// `send` after the POST was written down; `look_up` of the venue where none is given.
    OrderResult place(const Send& send, std::function<Finding(std::string_view id)> look_up = {}) {
        return retry::place_order(
            port, order, policy,
            [&](const Permit&, std::string_view id) {
                venue.note_post(id);
                return send(id);
            },
            [&](const Permit&, std::string_view id) {
                if (!look_up) return venue.find(id);
                venue.lookups.push_back(now());
                return look_up(id);
            });
    }

    bool is_halted() { return must(port.budget().snapshot()).halted; }
    /// How long after `t` each lookup came, in milliseconds.
    std::vector<std::int64_t> lookups_after(BootTime t) const {
        std::vector<std::int64_t> result;
        for (const BootTime at : venue.lookups) {
            result.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(at - t).count());
        }
        return result;
    }
};

/// The client gave up after `wait`: nothing says what became of the request.
inline Reply timed_out(Scene& scene, std::chrono::nanoseconds wait) {
    scene.advance(wait);
    return failed_reply(Phase::wait);
}

inline Reply status(int code, std::string_view body = {}) {
    Reply reply;
    reply.status = code;
    reply.body = body;
    return reply;
}

}  // namespace ratecoord::testing
