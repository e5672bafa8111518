// SPDX-License-Identifier: Apache-2.0
#include "column/coalesce.h"

#include <arrow/util/byte_size.h>

namespace protium {

int64_t BatchBytes(const arrow::RecordBatch& batch) {
  const auto exact = arrow::util::ReferencedBufferSize(batch);
  return exact.ok() ? *exact : arrow::util::TotalBufferSize(batch);
}

Result<std::shared_ptr<arrow::RecordBatch>> Coalescer::Add(
    std::shared_ptr<arrow::RecordBatch> batch) {
  if (batch->num_rows() == 0) return nullptr;
  held_bytes_ += BatchBytes(*batch);
  held_.push_back(std::move(batch));
  if (held_bytes_ < bytes_) return nullptr;
  return Flush();
}

Result<std::shared_ptr<arrow::RecordBatch>> Coalescer::Flush() {
  if (held_.empty()) return nullptr;
  arrow::RecordBatchVector held = std::move(held_);
  held_.clear();
  held_bytes_ = 0;
  if (held.size() == 1) return held.front();
  return arrow::ConcatenateRecordBatches(held);
}

}  // namespace protium
