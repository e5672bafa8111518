// SPDX-License-Identifier: Apache-2.0
#include "train/row_planes.h"

#include <cstring>

#include "base/status.h"

namespace protium {

int64_t RowBytes(std::span<const RowPlane> planes) {
  int64_t floats = 0;
  for (const RowPlane& each : planes) floats += each.width;
  return floats * int64_t(sizeof(float));
}

std::string PackRows(std::span<const RowPlane> planes, std::span<const int64_t> rows) {
  std::string packed(rows.size() * size_t(RowBytes(planes)), '\0');
  PackRows(planes, rows, packed.data());
  return packed;
}

void PackRows(std::span<const RowPlane> planes, std::span<const int64_t> rows, char* to) {
  for (const int64_t row : rows) {
    for (const RowPlane& each : planes) {
      std::memcpy(to, each.rows + row * each.width, size_t(each.width) * sizeof(float));
      to += size_t(each.width) * sizeof(float);
    }
  }
}

void UnpackRows(std::string_view packed, std::span<const RowPlane> planes,
                std::span<const int64_t> rows) {
  PT_CHECK(packed.size() == rows.size() * size_t(RowBytes(planes)));
  const char* from = packed.data();
  for (const int64_t row : rows) {
    for (const RowPlane& each : planes) {
      std::memcpy(each.rows + row * each.width, from, size_t(each.width) * sizeof(float));
      from += size_t(each.width) * sizeof(float);
    }
  }
}

}  // namespace protium
