// SPDX-License-Identifier: Apache-2.0
// Schemas and batches as Arrow IPC messages in memory, the form in which rows travel between
// processes (https://arrow.apache.org/docs/format/Columnar.html).
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "base/status.h"

namespace protium {

Result<std::shared_ptr<arrow::Buffer>> SchemaToIpc(const arrow::Schema& schema);
Result<std::shared_ptr<arrow::Schema>> SchemaFromIpc(std::shared_ptr<arrow::Buffer> buffer);

// Reads a message that holds a batch without its schema. The batch shares the buffer's memory.
// Buffers from outside are validated before use, and may not claim more than they hold (claims.h).
Result<std::shared_ptr<arrow::RecordBatch>> BatchFromIpc(
    std::shared_ptr<arrow::Buffer> buffer, const std::shared_ptr<arrow::Schema>& schema);

}  // namespace protium
