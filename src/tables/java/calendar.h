// SPDX-License-Identifier: Apache-2.0
// Days and moments, as columns store them.
#pragma once

#include <cstdint>

namespace protium {

struct Day {
  int32_t days = 0;  // Since 1970-01-01.
};
struct Moment {
  int64_t micros = 0;  // Since 1970-01-01 00:00:00.
};

}  // namespace protium
