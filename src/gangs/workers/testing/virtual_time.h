// SPDX-License-Identifier: Apache-2.0
// A clock of the test's own: the time at a given second.
#pragma once

#include "base/call.h"

namespace protium {

constexpr Clock::time_point At(int second) {
  return Clock::time_point(std::chrono::seconds(100'000 + second));
}

}  // namespace protium
