// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"

namespace protium {

// Makes batches of DuckDB's chunks. Chunks are small, and what a batch costs is paid once a batch:
// so the rows of many come together in one, copied once.
class ChunkBatches {
 public:
  // Of rows with the columns of `schema`, as DuckDB describes its results to Arrow.
  static Result<std::unique_ptr<ChunkBatches>> Make(std::shared_ptr<arrow::Schema> schema);

  Status Add(duckdb_data_chunk chunk);
  // Whether enough has come together to be worth a batch: about a mebibyte.
  bool full() const { return bytes_ >= kFullBytes; }
  // What has come together; nullptr for no rows.
  Result<std::shared_ptr<arrow::RecordBatch>> Take();

 private:
  static constexpr int64_t kFullBytes = int64_t{1} << 20;

  ChunkBatches(std::shared_ptr<arrow::Schema> schema,
               std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns)
      : schema_(std::move(schema)), columns_(std::move(columns)) {}

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace protium
