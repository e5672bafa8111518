// SPDX-License-Identifier: Apache-2.0
// Makes batches of a useful size from many small ones, without holding a table.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/status.h"

namespace protium {

// Bytes that the batch's rows take; a slice counts only its part.
int64_t BatchBytes(const arrow::RecordBatch& batch);

// Joins small batches of one schema into batches of at least `bytes`, to reduce the cost per batch.
class Coalescer {
 public:
  explicit Coalescer(int64_t bytes = int64_t{1} << 20) : bytes_(bytes) {}

  // Returns a batch as soon as enough rows have come together, else nullptr.
  Result<std::shared_ptr<arrow::RecordBatch>> Add(std::shared_ptr<arrow::RecordBatch> batch);
  // Returns what is left, or nullptr.
  Result<std::shared_ptr<arrow::RecordBatch>> Flush();

 private:
  int64_t bytes_;
  int64_t held_bytes_ = 0;
  arrow::RecordBatchVector held_;
};

}  // namespace protium
