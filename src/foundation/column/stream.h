// SPDX-License-Identifier: Apache-2.0
// Streams of batches that are in memory.
#pragma once

#include "protium/stream.h"

namespace protium {

// Streams batches that are in memory already; all have `schema`.
BatchStreamPtr MakeStream(SchemaPtr schema, arrow::RecordBatchVector batches);

// Reads a stream to its end. Holds all of it: for results that are known to be small.
Result<arrow::RecordBatchVector> Collect(BatchStream& stream);

}  // namespace protium
