// SPDX-License-Identifier: Apache-2.0
// What filters, choices of columns, lookups and cuts make of rows, worked out batch by batch where
// the rows are, without an engine. Only what every engine answers alike, to the bit, is taken:
// sums, differences and quotients of doubles, casts of numbers, NULL and NaN, flags, equal whole
// numbers, and cuts by columns whose text is everywhere the same.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <vector>

#include "base/json.h"
#include "plan/node.h"

namespace protium {

class RowSteps {
 public:
  // Of rows with these columns.
  explicit RowSteps(SchemaPtr input) : schemas_{std::move(input)} {}

  // Adds what `verb` does to the rows; false, and nothing is added, where an engine has to.
  bool Add(const Verb& verb);

  // The columns of the results.
  const SchemaPtr& schema() const { return schemas_.back(); }
  bool empty() const { return steps_.empty(); }

  // The steps on one batch; the columns are those of `input`. May give a batch without rows.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

  Json ToJson() const;
  static Result<RowSteps> FromJson(const Json& json, SchemaPtr input);

 private:
  std::vector<Verb> steps_;
  std::vector<SchemaPtr> schemas_;  // Before each step, and after the last.
};

}  // namespace protium
