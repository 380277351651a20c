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
    template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef> &&
                                                std::is_invocable_r_v<R, F&, Arguments...>>>
    FunctionRef(F&& function) noexcept {
        using Target = std::remove_reference_t<F>;
        if constexpr (std::is_function_v<Target>) {
            viewed_.function = reinterpret_cast<void (*)()>(std::addressof(function));
        } else {
            viewed_.object = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
        }
        call_ = [](Viewed viewed, Arguments... arguments) -> R {
            if constexpr (std::is_function_v<Target>) {
                return reinterpret_cast<Target*>(viewed.function)(
                    std::forward<Arguments>(arguments)...);
            } else {
                return (*static_cast<Target*>(viewed.object))(
                    std::forward<Arguments>(arguments)...);
            }
        };
    }

    R operator()(Arguments... arguments) const {
        return call_(viewed_, std::forward<Arguments>(arguments)...);
    }

  private:
    union Viewed {
        void* object;
        void (*function)();
    };
    Viewed viewed_;
    R (*call_)(Viewed, Arguments...);
};

}  // namespace ratecoord
