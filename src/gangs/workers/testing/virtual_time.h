// SPDX-License-Identifier: Apache-2.0
// A time of its own, in which a test says what second it is.
#pragma once

#include "base/call.h"

namespace protium {

constexpr Clock::time_point At(int second) {
  return Clock::time_point(std::chrono::seconds(100'000 + second));
}

}  // namespace protium
