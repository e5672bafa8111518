// SPDX-License-Identifier: Apache-2.0
// Tables on their way: batches one after another.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// Batches in order; Next() gives nullptr once, at the end, and only if every row came whole.
// One thread. Destroying it early cancels what feeds it.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual const SchemaPtr& schema() const = 0;
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};
using BatchStreamPtr = std::unique_ptr<BatchStream>;

// Streams batches that are in memory already; all have `schema`.
BatchStreamPtr StreamOf(SchemaPtr schema, arrow::RecordBatchVector batches);

// Reads a stream to its end.
Result<arrow::RecordBatchVector> Collect(BatchStream& stream);

}  // namespace protium
