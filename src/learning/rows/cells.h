// SPDX-License-Identifier: Apache-2.0
// Reads tiles of a column's cells as the 32 bits that represent them in packed rows. Nothing is
// refused here: readers mark what cannot be packed, and the packer counts it.
#pragma once

#include <arrow/array/data.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace protium {

inline constexpr int64_t kTileRows = 64;
// The one pattern of float32 for NaN in packed rows.
inline constexpr uint32_t kQuietNan = 0x7fc00000;

// Up to kTileRows cells. Bit i of a mask is set if it applies to cell i; the 32 bits of such a cell
// mean nothing, except that `nans` cells hold the one pattern for NaN.
struct Tile {
  std::array<uint32_t, kTileRows> bits;
  uint64_t nulls = 0;
  uint64_t nans = 0;
  uint64_t infinities = 0;  // As float32: also finite doubles beyond its range.
  uint64_t wide = 0;        // Categories beyond int32.
};

// Which cells: those at list[0..count), or without a list first..first+count.
struct Picked {
  const int32_t* list = nullptr;
  int64_t first = 0;
  int64_t count = 0;
};

// If scaled, cells become float32((x - mean) / deviation), where kLog uses StrictLog1p(x) for x;
// else float32(x). -0.0 becomes 0.0.
enum class Scaling { kNone, kLinear, kLog };
struct CellScale {
  Scaling scaling = Scaling::kNone;
  double mean = 0;
  double deviation = 1;
};

using CellReader = void (*)(const arrow::ArrayData& column, Picked picked, const CellScale& scale,
                            Tile& tile);

// Returns the reader for numbers of `type`, or nullptr. Booleans, integers, floats and decimals are
// numbers; a column of type null holds only NULLs.
CellReader NumberReader(arrow::Type::type type, Scaling scaling);
// Returns the reader for one half of the 64 bits of a cell as a double, or nullptr if `type` is no
// number; -0.0 becomes 0.0. It marks nothing: each such cell is also packed as a float32, which
// finds NULLs and the like.
enum class Half { kLow, kHigh };
CellReader DoubleReader(arrow::Type::type type, Half half);
// Returns the reader for category codes of `type`, or nullptr: integers are, floats are not.
CellReader CodeReader(arrow::Type::type type);

}  // namespace protium
