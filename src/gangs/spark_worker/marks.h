// SPDX-License-Identifier: Apache-2.0
// Negative numbers in the position of a length, which say what follows instead: Spark's
// org.apache.spark.api.python.SpecialLengths.
#pragma once

#include <cstdint>

namespace protium {

// Before the accumulators; also, as the very last number of a task: do not use this worker again.
inline constexpr int32_t kEndOfData = -1;
// A text follows: why the task failed.
inline constexpr int32_t kFailed = -2;
// Times follow.
inline constexpr int32_t kTiming = -3;
// The task is over; from the worker also: it is ready for another.
inline constexpr int32_t kEndOfTask = -4;
// An Arrow IPC stream follows.
inline constexpr int32_t kArrowStream = -6;

}  // namespace protium
