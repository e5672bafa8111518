// SPDX-License-Identifier: Apache-2.0
// Time for deadlines and waits, in milliseconds.
#pragma once

#include <stdint.h>
#include <time.h>

namespace protium::launcher {

// The monotonic clock; a deadline is a value of it.
inline int64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1000} + now.tv_nsec / 1000000;
}

inline void Sleep(int64_t milliseconds) {
  timespec span{milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&span, nullptr);
}

}  // namespace protium::launcher
