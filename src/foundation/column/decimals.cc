// SPDX-License-Identifier: Apache-2.0
#include "column/decimals.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <array>
#include <charconv>
#include <string>

namespace protium {
namespace {

// Powers of ten that are doubles.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t kExact = int64_t{1} << 53;  // Whole numbers up to it are doubles.

int32_t ScaleOf(const arrow::Array& column) {
  return static_cast<const arrow::Decimal128Type&>(*column.type()).scale();
}

}  // namespace

double NearestDouble(const arrow::Decimal128& value, int32_t scale) {
  const auto low = static_cast<int64_t>(value.low_bits());
  const bool small = value.high_bits() == (low < 0 ? -1 : 0) && low <= kExact && low >= -kExact;
  // Division of two doubles returns the nearest double.
  if (small && scale >= 0 && size_t(scale) < kPowers.size()) {
    return double(low) / kPowers[size_t(scale)];
  }
  const std::string text = value.ToString(scale);
  double nearest = 0;
  std::from_chars(text.data(), text.data() + text.size(), nearest);
  return nearest;
}

double NearestDouble(const arrow::Decimal128Array& column, int64_t row) {
  return NearestDouble(arrow::Decimal128(column.GetValue(row)), ScaleOf(column));
}

Result<std::shared_ptr<arrow::Array>> AsDoubles(const arrow::Decimal128Array& column) {
  arrow::DoubleBuilder doubles;
  PT_TRY(doubles.Reserve(column.length()));
  const int32_t scale = ScaleOf(column);
  for (int64_t i = 0; i < column.length(); ++i) {
    if (column.IsNull(i)) {
      doubles.UnsafeAppendNull();
    } else {
      doubles.UnsafeAppend(NearestDouble(arrow::Decimal128(column.GetValue(i)), scale));
    }
  }
  return doubles.Finish();
}

}  // namespace protium
