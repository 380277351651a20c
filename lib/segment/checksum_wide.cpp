// SPDX-License-Identifier: Apache-2.0
//
// The same hash, compiled for AVX2. Includes nothing that another file might share inline.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ratecoord::segment {

unsigned long wide_hash(const void* bytes, unsigned long size) noexcept;

unsigned long wide_hash(const void* bytes, unsigned long size) noexcept {
    return XXH3_64bits(bytes, size);
}

}  // namespace ratecoord::segment
