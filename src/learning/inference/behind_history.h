// SPDX-License-Identifier: Apache-2.0
// Rows to score, put behind the rows that a model keeps for stages such as lag
// (pipeline/history.h), in the calling process.
#pragma once

#include <arrow/record_batch.h>

#include <memory>

#include "engine/row_queries.h"
#include "model/model_state.h"

namespace protium {

// The rows of a model's history file; null for a model that reads no earlier rows.
Result<std::shared_ptr<arrow::RecordBatch>> ReadKeptRows(const ModelState& state);

// Immutable: any thread.
class BehindKeptRows {
 public:
  // For rows with these columns.
  static Result<BehindKeptRows> Make(const ModelState& state,
                                     const std::shared_ptr<arrow::RecordBatch>& kept,
                                     const SchemaPtr& columns, RowQueries& queries);

  // Those of the rows, with the types that the model learned from; and of Apply(), with the columns
  // of the stages behind them.
  const SchemaPtr& typed() const { return typed_; }
  const SchemaPtr& schema() const { return schema_; }
  // Returns one row for each of `rows`, in their order. Rows look back to each other, too, and two
  // of one series with the same time are refused.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& rows) const;

 private:
  std::shared_ptr<const TableQuery> query_;
  SchemaPtr numbered_;  // The rows' columns and their numbers.
  SchemaPtr typed_;
  SchemaPtr schema_;
};

}  // namespace protium
