// SPDX-License-Identifier: Apache-2.0
// The rows of a task as Spark reads them: a mark, then an Arrow IPC stream of batches with one
// column of type struct.
#pragma once

#include <arrow/ipc/writer.h>

#include <memory>
#include <string>

#include "column/source.h"
#include "spark_worker/wire.h"

namespace protium {

// Writes nothing before the first row, and nothing at all if there is none, as Spark's own workers
// do.
class WireOutput {
 public:
  // `wire` must outlive it. `task` is named in errors.
  WireOutput(ExecutorWire& wire, SchemaPtr schema, std::string task)
      : wire_(wire), schema_(std::move(schema)), task_(std::move(task)) {}

  const SchemaPtr& schema() const { return schema_; }
  // Sends a batch and returns when the socket took it. Spark takes columns by position and trusts
  // their types, so a batch that differs from the declared schema is refused here (Conform).
  // Batches without rows are not sent.
  Status Emit(const arrow::RecordBatch& batch);
  // Ends the stream, if one was begun.
  Status Close();

 private:
  Status Begin();
  Status Put(const arrow::ipc::IpcPayload& payload);

  ExecutorWire& wire_;
  SchemaPtr schema_;
  std::string task_;
  std::shared_ptr<arrow::Schema> wrapped_;
  bool begun_ = false;
};

}  // namespace protium
