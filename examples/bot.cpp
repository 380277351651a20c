// SPDX-License-Identifier: Apache-2.0
#include "bot.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "bot_log.hpp"

namespace bot {
namespace {

using namespace ratecoord;

constexpr int status_done = 0;
constexpr int status_halted = 3;

template <class T>
T must(Result<T> result) {
    if (result) return std::move(*result);
    throw std::runtime_error(result.error().message +
                             (result.error().hint.empty() ? "" : "; " + result.error().hint));
}

class Bot {
  public:
    Bot(const Options& options, Link& link)
        : options_(options),
          link_(link),
          log_(options.log),
          random_(options.seed),
          profile_(must(Profile::load(options.profile))),
          budget_(must(Budget::open(options.budget.empty() ? profile_.name() : options.budget,
                                    profile_, {.label = "bot", .full = options.is_full_start}))),
          ledger_(options.ledger.empty() ? OrderLedger::in_memory()
                                         : must(OrderLedger::open(options.ledger))),
          policy_(order_policy_of(profile_)),
          depth_(cost_of("depth")),
          place_(cost_of("order")),
          query_(cost_of("order-status")),
          cancel_(cost_of("cancel")) {
        policy_.ledger = &ledger_;
        policy_.breaker = &breaker_;
    }

    int run() {
        if (!settle_what_was_under_way()) return status_halted;
        std::uint64_t reads = options_.requests;
        std::uint64_t orders =
            options_.orders - std::min<std::uint64_t>(options_.orders, ledger_.size());
        while (reads + orders > 0) {
            if (random_() % (reads + orders) < reads) {
                --reads;
                read();
            } else {
                --orders;
                if (!trade()) return status_halted;
            }
        }
        return status_done;
    }

  private:
    /// A parameter the profile does not know is refused; a depth that depends on it asks for 100.
    Cost cost_of(std::string_view name) {
        std::vector<Argument> arguments;
        for (const auto parameter : must(profile_.operation(name)).parameters) {
            arguments.push_back({parameter, 100});
        }
        const KeyName account{"account", options_.account};
        return must(budget_.operation(name, arguments, {&account, 1}));
    }

    Reply exchange(const Permit& permit, std::string_view operation, std::string_view method,
                   const std::string& target) {
        log_.permit(operation, permit);
        log_.send(method, target);
        const Reply reply = link_.send(method, target);
        log_.reply(reply);
        return reply;
    }

    void read() {
        const std::string target = "/api/v3/depth?limit=100&symbol=" + options_.symbol;
        const auto result =
            call(budget_, depth_,
                 {.repeat = repeat_of(must(profile_.operation("depth"))), .label = "depth"},
                 [&](const Permit& permit) { return exchange(permit, "depth", "GET", target); });
        log_.call("depth", result);
    }

    /// False: halted.
    bool trade() {
        const Order order{
            .make_id = true, .symbol = options_.symbol, .cost = place_, .lookup_cost = query_};
        const auto result = place_order(
            budget_, order, policy_,
            [&](const Permit& permit, std::string_view id) {
                return exchange(permit, "order", "POST",
                                "/api/v3/order?side=BUY&type=LIMIT&quantity=1&price=1&symbol=" +
                                    options_.symbol + "&newClientOrderId=" + std::string(id));
            },
            [&](const Permit& permit, std::string_view id) { return look_up(permit, id); });
        log_.order(result, false);
        if (result.state == OrderState::unknown || result.refusal == Refusal::halted) return false;
        if (result.state == OrderState::placed && random_() % 2 == 0) cancel(result.client_id);
        return true;
    }

    Finding look_up(const Permit& permit, std::string_view id) {
        Finding finding;
        finding.reply = exchange(permit, "order-status", "GET", named(id));
        const auto json = nlohmann::json::parse(finding.reply.body, nullptr, false);
        if (!json.is_object()) return finding;
        if (finding.reply.status == 200 && json.contains("clientOrderId")) {
            finding.orders = 1;
            finding.status = json.value("status", "");
            finding.placed_utc_ns = json.value("transactTime", std::int64_t{0}) * 1'000'000;
        } else if (json.value("code", 0) == -2013) {
            finding.orders = 0;
        }
        return finding;
    }

    void cancel(const std::string& id) {
        const auto result = call(
            budget_, cancel_,
            {.repeat = repeat_of(must(profile_.operation("cancel"))), .label = "cancel"},
            [&](const Permit& permit) { return exchange(permit, "cancel", "DELETE", named(id)); });
        log_.call("cancel", result);
    }

    bool settle_what_was_under_way() {
        bool is_clear = true;
        for (const auto& entry : ledger_.unsettled()) {
            const auto result = settle_order(
                budget_, entry, query_, policy_,
                [&](const Permit& permit, std::string_view id) { return look_up(permit, id); });
            log_.order(result, true);
            is_clear = is_clear && result.state != OrderState::unknown;
        }
        return is_clear;
    }

    std::string named(std::string_view id) const {
        return "/api/v3/order?symbol=" + options_.symbol + "&origClientOrderId=" + std::string(id);
    }

    const Options& options_;
    Link& link_;
    Log log_;
    std::mt19937_64 random_;
    Profile profile_;
    Budget budget_;
    OrderLedger ledger_;
    Breaker breaker_;
    OrderPolicy policy_;
    Cost depth_;
    Cost place_;
    Cost query_;
    Cost cancel_;
};

}  // namespace

int run(const Options& options, Link& link) {
    return Bot(options, link).run();
}

}  // namespace bot
