// SPDX-License-Identifier: Apache-2.0
// Negative numbers that stand where a length could, and say what comes instead.
#pragma once

#include <cstdint>

namespace protium {

inline constexpr int32_t kEndOfData = -1;  // Also, as the last of all: do not use me again.
inline constexpr int32_t kFailed = -2;
inline constexpr int32_t kTiming = -3;
inline constexpr int32_t kEndOfTask = -4;
inline constexpr int32_t kArrowStream = -6;

}  // namespace protium
