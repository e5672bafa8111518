// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <cmath>

namespace protium {

std::string BytesText(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  // Otherwise 1023.97 MiB would be written as 1024 MiB.
  for (bytes /= 1024; bytes >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  const double tenths = std::round(bytes * 10) / 10;
  const bool whole = tenths >= 100 || tenths == std::floor(tenths);
  return fmt::format("{:.{}f} {}", bytes, whole ? 0 : 1, kUnits[unit]);
}

}  // namespace protium
