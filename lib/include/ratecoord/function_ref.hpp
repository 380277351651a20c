// SPDX-License-Identifier: Apache-2.0
//
// A view of something callable, for the length of one call.
//
// PROMISE  Two words, no allocation. Calls what it was made from.
// NEEDS    That outlives every call through the view: take it as an argument, never keep it.
// SHARING  As what it views.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ratecoord {

template <class Signature>
class FunctionRef;

template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
  public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Arguments...>) FunctionRef(F&& function)
    noexcept
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* object, Arguments... arguments) -> R {
              return (*static_cast<std::add_pointer_t<F>>(object))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    R operator()(Arguments... arguments) const {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

  private:
    void* object_;
    R (*call_)(void*, Arguments...);
};

}  // namespace ratecoord
