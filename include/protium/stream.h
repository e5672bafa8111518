// SPDX-License-Identifier: Apache-2.0
// Tables on their way: Arrow's record batches, one after another. Implemented by the room column.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "protium/status.h"

namespace protium {

using SchemaPtr = std::shared_ptr<arrow::Schema>;

// Batches in order; Next() gives nullptr once, at the end, and only if every row came whole.
// One thread. Destroying it early cancels what feeds it.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual const SchemaPtr& schema() const = 0;
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};
using BatchStreamPtr = std::unique_ptr<BatchStream>;

}  // namespace protium
