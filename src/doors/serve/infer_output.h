// SPDX-License-Identifier: Apache-2.0
// Columns of predictions as tensors of the Open Inference Protocol (serve/infer_tensor.h).
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The shape of a column: [rows], or [rows, width] for lists. Fails if these differ in length; all
// faults here are of Exit::kInput.
Result<std::vector<int64_t>> ShapeOf(const arrow::Field& field, const arrow::Array& column);
// Its values, flat, as a list in JSON; missing ones are null. Refuses values that are no texts.
Result<Json> JsonValues(const arrow::Field& field, const arrow::Array& column);
// Its values as bytes. A missing number with a point is NaN; another missing value is refused,
// since no byte means that.
Result<std::string> RawValues(const arrow::Field& field, const arrow::Array& column);

}  // namespace protium
