// SPDX-License-Identifier: Apache-2.0
// Rows in motion: a pull stream of Arrow record batches. Implemented by the room column.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "protium/status.h"

namespace protium {

using SchemaPtr = std::shared_ptr<arrow::Schema>;

// Next() returns the batches in order and then nullptr, which means that every row was delivered; a
// stream that was cut short ends with an error instead. Do not call it again after either. Use it
// on one thread. Destroying it before the end cancels its source.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual const SchemaPtr& schema() const = 0;
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};
using BatchStreamPtr = std::unique_ptr<BatchStream>;

}  // namespace protium
