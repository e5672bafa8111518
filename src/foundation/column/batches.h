// SPDX-License-Identifier: Apache-2.0
// Batches in memory: joined, and rows of them by their numbers.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "protium/stream.h"

namespace protium {

// One batch of all rows, in their order; the parts have the columns of `schema`.
Result<std::shared_ptr<arrow::RecordBatch>> Together(const SchemaPtr& schema,
                                                     const arrow::RecordBatchVector& parts);

// The rows of these numbers, in the order of these, which may come more than once.
Result<std::shared_ptr<arrow::RecordBatch>> RowsAt(const std::shared_ptr<arrow::RecordBatch>& rows,
                                                   const std::vector<int64_t>& numbers);

}  // namespace protium
