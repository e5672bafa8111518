// SPDX-License-Identifier: Apache-2.0
// DuckDB's chunks as Arrow batches.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"

namespace protium {

// Collects the rows of chunks into batches. A chunk has at most 2,048 rows, while a message, a slot
// and a call each cost per batch, so the rows of many chunks are copied into one batch, once. Used
// by one thread.
class ChunkBatches {
 public:
  // For rows with the columns of `schema`, which is DuckDB's own description of the result in Arrow
  // types. Add() refuses types that local/plain_types.h does not produce.
  static Result<std::unique_ptr<ChunkBatches>> Make(std::shared_ptr<arrow::Schema> schema);

  // Copies the chunk's rows; the chunk stays the caller's.
  Status Add(duckdb_data_chunk chunk);
  // Whether there are enough rows for a batch: 1 MiB.
  bool full() const { return bytes_ >= kFullBytes; }
  // Returns the rows so far as one batch; nullptr if there are none.
  Result<std::shared_ptr<arrow::RecordBatch>> Take();

 private:
  static constexpr int64_t kFullBytes = int64_t{1} << 20;

  ChunkBatches(std::shared_ptr<arrow::Schema> schema,
               std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns)
      : schema_(std::move(schema)), columns_(std::move(columns)) {}

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t usual_rows_ = 0;  // Of the previous batch.
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace protium
