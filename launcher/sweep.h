// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace protium::launcher {

inline constexpr int kMaxKept = 8;
inline constexpr int64_t kMaxKeptBytes = int64_t{4} << 30;

// Makes place for one more bundle of `bytes`: removes what dead processes left half unpacked, and
// of the other bundles the longest unused, as long as there are too many. Those in use stay.
void Sweep(int place, const char* coming, int64_t bytes);

}  // namespace protium::launcher
