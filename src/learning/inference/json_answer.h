// SPDX-License-Identifier: Apache-2.0
// Predictions as JSON, written directly into a string.
#pragma once

#include <arrow/record_batch.h>

#include <string>

namespace protium {

// {"x":1,"y":"a"}, with the values of CellJson().
std::string RowToJson(const arrow::RecordBatch& batch, int64_t row);
// A list of such objects.
std::string RowsToJson(const arrow::RecordBatch& batch);
// {"x":[1,2],"y":["a","b"]}
std::string ColumnsToJson(const arrow::RecordBatch& batch);

}  // namespace protium
