// SPDX-License-Identifier: Apache-2.0
// Batches of a useful size from many small ones, without holding a table.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/status.h"

namespace protium {

// Bytes that the batch's rows take, slices counted by their part.
int64_t BatchBytes(const arrow::RecordBatch& batch);

// Joins small batches of one schema into batches of at least `bytes`, so that the price of a batch
// is paid rarely.
class Coalescer {
 public:
  explicit Coalescer(int64_t bytes = int64_t{1} << 20) : bytes_(bytes) {}

  // Gives a batch when enough has come together, else nullptr.
  Result<std::shared_ptr<arrow::RecordBatch>> Add(std::shared_ptr<arrow::RecordBatch> batch);
  // Gives what is left, or nullptr.
  Result<std::shared_ptr<arrow::RecordBatch>> Flush();

 private:
  int64_t bytes_;
  int64_t held_bytes_ = 0;
  arrow::RecordBatchVector held_;
};

}  // namespace protium
