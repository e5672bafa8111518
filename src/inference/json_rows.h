// SPDX-License-Identifier: Apache-2.0
// Rows as JSON: a list of objects with a value for each column, or an object with a list for each.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/json.h"
#include "column/stream.h"

namespace protium {

// A batch of those of `columns` that the rows have, of these types; keys that are no column are
// passed over. A column that some rows have and some have not, and a value of another type, are
// faults of Exit::kInput that name row (from 1) and column. Dates, times and decimals are texts.
Result<std::shared_ptr<arrow::RecordBatch>> RowsFromJson(const Json& list,
                                                         const arrow::Schema& columns);
// The same for {"x": [1, 2], "y": [3, 4]}.
Result<std::shared_ptr<arrow::RecordBatch>> ColumnsFromJson(const Json& lists,
                                                            const arrow::Schema& columns);

// A list of objects.
Json RowsToJson(const arrow::RecordBatch& batch);
// An object with a list for each column.
Json ColumnsToJson(const arrow::RecordBatch& batch);

}  // namespace protium
