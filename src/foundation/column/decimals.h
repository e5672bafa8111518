// SPDX-License-Identifier: Apache-2.0
// Decimals as doubles, for what computes with numbers. Tables carry decimals as they are.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <cstdint>
#include <memory>

#include "base/status.h"

namespace protium {

// The double that is nearest to `value` / 10^scale.
double NearestDouble(const arrow::Decimal128& value, int32_t scale);

// The double that is nearest to a value of a column of decimals, which must not be NULL there.
double NearestDouble(const arrow::Decimal128Array& column, int64_t row);

// A column of decimals as one of doubles, NULL staying NULL.
Result<std::shared_ptr<arrow::Array>> AsDoubles(const arrow::Decimal128Array& column);

}  // namespace protium
