// SPDX-License-Identifier: Apache-2.0
//
// Acquiring a permit from a Boost.Asio event loop, without ever blocking it.
//
//     ratecoord::async_acquire(budget, cost, deadline, executor,
//         [](ratecoord::Result<ratecoord::Decision> decision) { ... });
//
// PROMISE  The handler runs once, on `executor`, with what Budget::acquire would have answered. The
//          loop never sleeps in here: it reserves, sets timers, and confirms at the instant.
//          Between timers a move of the reservation is noticed within `look_interval`.
// NEEDS    The budget and the executor's context outlive the operation.
// CANCEL   Where Asio cancels the operation (slots need Boost 1.77), the reservation is given back,
//          exactly, and it completes with ErrorCode::system and ECANCELED.
// SHARING  As Budget; use a strand where the context has several threads.
#pragma once

#include <algorithm>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <memory>

#include <ratecoord/budget.hpp>

namespace ratecoord {

namespace detail {

/// How long a moved reservation may go unnoticed. A look costs nanoseconds, a timer microseconds.
inline constexpr std::chrono::milliseconds look_interval{10};

struct AsyncAcquire {
    struct Waiting {
        template <class Executor>
        Waiting(Budget& shared, const Cost& wanted, BootTime until, const Executor& executor)
            : budget(shared), cost(wanted), deadline(until), timer(executor) {}
        Budget& budget;
        Cost cost;
        BootTime deadline;
        boost::asio::steady_timer timer;
        Reservation reservation;
        enum { starting, waiting, finished } stage = starting;
        Result<Decision> answer{tl::in_place};
    };
    std::unique_ptr<Waiting> state;

    template <class Self>
    void operator()(Self& self, boost::system::error_code error = {}) {
        Waiting& w = *state;
        if (w.stage == Waiting::finished) return self.complete(std::move(w.answer));
        if (error) {
            static_cast<void>(w.budget.cancel(w.reservation));
            return self.complete(
                fail(ErrorCode::system, "the wait for a permit was cancelled", {}, ECANCELED));
        }
        if (w.stage == Waiting::starting) {
            w.stage = Waiting::waiting;
            return reserve(self);
        }
        const bool due = BootClock::now() >= w.reservation.at();
        if (!due && !w.budget.may_have_moved(w.reservation)) return sleep(self);
        auto decision = w.budget.confirm(w.reservation);
        if (!decision || *decision) return self.complete(std::move(decision));
        if (w.reservation.id() != 0) return sleep(self);
        // Lapsed or pushed past its deadline: asked again, the answer says when to come back.
        if (decision->refusal() == Refusal::halted) return self.complete(std::move(decision));
        reserve(self);
    }

  private:
    template <class Self>
    void reserve(Self& self) {
        Waiting& w = *state;
        auto decision = w.budget.reserve(w.cost, w.deadline, w.reservation);
        if (decision && w.reservation.id() != 0) return sleep(self);
        // Never inside the call that started it: the caller's handler may not expect that.
        w.answer = std::move(decision);
        w.stage = Waiting::finished;
        const auto executor = w.timer.get_executor();
        boost::asio::post(executor, std::move(self));
    }

    template <class Self>
    void sleep(Self& self) {
        Waiting& w = *state;
        const auto left = std::max(w.reservation.at() - BootClock::now(), BootClock::duration(0));
        w.timer.expires_after(
            std::min<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(look_interval)));
        w.timer.async_wait(std::move(self));
    }
};

}  // namespace detail

/// Completes with void(Result<Decision>). `token` is any Asio completion token.
template <class Executor, class Token>
auto async_acquire(Budget& budget, const Cost& cost, BootTime deadline, const Executor& executor,
                   Token&& token) {
    auto waiting =
        std::make_unique<detail::AsyncAcquire::Waiting>(budget, cost, deadline, executor);
    auto& timer = waiting->timer;
    return boost::asio::async_compose<Token, void(Result<Decision>)>(
        [op = detail::AsyncAcquire{std::move(waiting)}](
            auto& self, boost::system::error_code error = {}) mutable { op(self, error); },
        token, timer);
}

}  // namespace ratecoord
