// SPDX-License-Identifier: Apache-2.0
// Reads rows from untrusted JSON, front to back, in time and memory that depend only on the length
// of the text.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace protium {

// The form of rows and of their predictions.
enum class JsonForm {
  kRows,     // [{"x": 1, "y": 3}, {"x": 2, "y": 4}]
  kColumns,  // {"x": [1, 2], "y": [3, 4]}
  kRow,      // {"x": 1, "y": 3}
};

struct JsonRows {
  std::shared_ptr<arrow::RecordBatch> batch;
  JsonForm form = JsonForm::kRows;
};

// Reads the rows of {"rows": [...]} or {"columns": {...}}. Returns those of `columns` that they
// have, with these types; values of other keys are checked to be JSON and skipped. Whole numbers
// may be written as 7.0; dates, times and decimals are strings in the format that Arrow writes.
// Fails with Exit::kInput, with the position, for text that is not JSON (UTF-8, at most 200 levels
// deep; a leading byte order mark is skipped), a column that only some rows have or that occurs
// twice, a value of another type or outside its range, or more than `most_rows` rows.
Result<JsonRows> ReadJsonRows(std::string_view body, const arrow::Schema& columns,
                              int64_t most_rows);

// The same for bare rows: a list of objects, or one object.
Result<JsonRows> ReadBareJsonRows(std::string_view text, const arrow::Schema& columns);

// The fault for more rows than one request may have, in whatever form.
Status TooManyRows(int64_t most_rows);

}  // namespace protium
