// SPDX-License-Identifier: Apache-2.0
// For tests: deadlines from now on.
#pragma once

#include <chrono>

#include "base/call.h"

namespace protium {

inline Deadline Within(int milliseconds) {
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

}  // namespace protium
