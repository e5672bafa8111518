// SPDX-License-Identifier: Apache-2.0
// Streams of batches in memory.
#pragma once

#include "protium/stream.h"

namespace protium {

// Streams batches that are already in memory; all have `schema`.
BatchStreamPtr MakeStream(SchemaPtr schema, arrow::RecordBatchVector batches);

// Reads a stream to its end into memory: for results that are known to be small.
Result<arrow::RecordBatchVector> Collect(BatchStream& stream);

}  // namespace protium
