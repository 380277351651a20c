# SPDX-License-Identifier: Apache-2.0
# Every target of ours links this privately; it is never exported.
add_library(ratecoord_warnings INTERFACE)
target_compile_options(
    ratecoord_warnings
    INTERFACE -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${RATECOORD_WERROR}>:-Werror>)
