// SPDX-License-Identifier: Apache-2.0
// Rows of a table with all that belongs to them, on their way between ranks: a row's weights, its
// states in the optimiser and its average lie in a plane each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Row r is at rows + r * width.
struct RowPlane {
  float* rows = nullptr;
  int64_t width = 0;
};

// Of one row in all planes.
int64_t RowBytes(std::span<const RowPlane> planes);
// These rows, one after another, each with its parts in the order of the planes.
std::string PackRows(std::span<const RowPlane> planes, std::span<const int64_t> rows);
void PackRows(std::span<const RowPlane> planes, std::span<const int64_t> rows, char* to);
// Puts back what PackRows() has returned.
void UnpackRows(std::string_view packed, std::span<const RowPlane> planes,
                std::span<const int64_t> rows);

}  // namespace protium
