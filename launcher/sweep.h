// SPDX-License-Identifier: Apache-2.0
// Which unpacked bundles are retained.
#pragma once

#include <stdint.h>

namespace protium::launcher {

// The same limits as those of the driver's cache (spark/ship/bundle.cc).
inline constexpr int kMaxKept = 8;
inline constexpr int64_t kMaxKeptBytes = int64_t{4} << 30;

// Makes room for one more bundle of `bytes` named `coming`: removes what dead processes left half
// unpacked, then the least recently used bundles until the limits hold. Bundles in use stay, even
// if there are too many.
void Sweep(int place, const char* coming, int64_t bytes);

}  // namespace protium::launcher
