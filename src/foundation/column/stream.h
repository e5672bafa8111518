// SPDX-License-Identifier: Apache-2.0
// Streams of batches in memory.
#pragma once

#include "protium/stream.h"

namespace protium {

// Streams batches that are already in memory; all have `schema`.
BatchStreamPtr MakeStream(SchemaPtr schema, arrow::RecordBatchVector batches);

// Cuts batches of more than `rows` rows; all rows stay in their order.
BatchStreamPtr InBatchesOf(int64_t rows, BatchStreamPtr stream);

// Reads a stream to its end into memory: for results that are known to be small.
Result<arrow::RecordBatchVector> Collect(BatchStream& stream);

}  // namespace protium
