// SPDX-License-Identifier: Apache-2.0
// Converts decimals to doubles, for code that computes with numbers. Tables carry decimals
// unchanged.
#pragma once

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

#include <cstdint>
#include <memory>

#include "base/status.h"

namespace protium {

// Returns the double that is nearest to `value` / 10^scale.
double NearestDouble(const arrow::Decimal128& value, int32_t scale);

// The same for a value of a column of decimals, which must not be NULL.
double NearestDouble(const arrow::Decimal128Array& column, int64_t row);

// Converts a column of decimals to doubles; NULL stays NULL.
Result<std::shared_ptr<arrow::Array>> AsDoubles(const arrow::Decimal128Array& column);

}  // namespace protium
