// SPDX-License-Identifier: Apache-2.0
// The rows of a partition as Spark sends them: an Arrow IPC stream of batches with one column of
// type struct, whose children are the rows' columns.
#pragma once

#include <arrow/ipc/reader.h>

#include <memory>

#include "column/stream.h"
#include "spark_worker/wire.h"

namespace protium {

class WireInput : public BatchStream {
 public:
  // Reads the schema; any other shape than one struct column is an error (kEnvironment). `wire`
  // must outlive the stream.
  static Result<std::unique_ptr<WireInput>> Open(ExecutorWire& wire);

  const SchemaPtr& schema() const override { return schema_; }
  // After the last batch `wire` is positioned behind the stream's last byte. Batches are validated
  // in full before they are returned.
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;
  // Reads and drops the rest, up to the stream's end.
  Status Skip();

 private:
  WireInput(std::shared_ptr<arrow::RecordBatchReader> reader, SchemaPtr schema)
      : reader_(std::move(reader)), schema_(std::move(schema)) {}

  std::shared_ptr<arrow::RecordBatchReader> reader_;
  SchemaPtr schema_;
  bool ended_ = false;
};

}  // namespace protium
