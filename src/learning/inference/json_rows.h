// SPDX-License-Identifier: Apache-2.0
// Rows that come as JSON, from strangers: read from front to back in a time and with a memory that
// grow with the text alone.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace protium {

// How rows come, and how their predictions go.
enum class JsonForm {
  kRows,     // [{"x": 1, "y": 3}, {"x": 2, "y": 4}]
  kColumns,  // {"x": [1, 2], "y": [3, 4]}
  kRow,      // {"x": 1, "y": 3}
};

struct JsonRows {
  std::shared_ptr<arrow::RecordBatch> batch;
  JsonForm form = JsonForm::kRows;
};

// The rows of {"rows": [...]} or {"columns": {...}}. Gives those of `columns` that they have, of
// these types; keys that are no column are passed over, once they have been seen to be JSON. Whole
// numbers may be written as 7.0; dates, times and decimals are texts, written as Arrow writes them.
// Faults of Exit::kInput name the place: text that is not JSON (UTF-8, at most 200 levels deep; a
// byte order mark before it is passed over), a column that some rows have and some have not, or one
// twice, a value of another type or beyond it, more than `most_rows` rows.
Result<JsonRows> ReadJsonRows(std::string_view body, const arrow::Schema& columns,
                              int64_t most_rows);

// The same of rows without a name around them: a list of objects, or one object.
Result<JsonRows> ReadBareJsonRows(std::string_view text, const arrow::Schema& columns);

// The fault of more rows than one request may hold, however it holds them.
Status TooManyRows(int64_t most_rows);

}  // namespace protium
