// SPDX-License-Identifier: Apache-2.0
// Expressions worked out over the rows of a batch, for those functions on which all engines agree
// to the bit: arithmetic of doubles (IEEE 754), comparison, NULL and NaN. Everything else has no
// kind, and is an engine's to work out.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "protium/expr.h"

namespace protium {

// What an expression is for every row of a batch.
struct RowValues {
  enum class Kind { kDouble, kWhole, kFlag };
  Kind kind = Kind::kDouble;
  std::vector<double> doubles;  // Of kDouble.
  std::vector<int64_t> wholes;  // Of kWhole, and 0 or 1 of kFlag.
  std::vector<uint8_t> valid;

  bool True(size_t row) const { return valid[row] != 0 && wholes[row] != 0; }
};

// The kind of an expression over columns of these types; nothing where an engine has to work it
// out.
std::optional<RowValues::Kind> InferKind(const Expr& expr, const arrow::Schema& schema);

// The values of an expression that has a kind over the columns of `batch`.
Result<RowValues> Evaluate(const Expr& expr, const arrow::RecordBatch& batch);

Result<std::shared_ptr<arrow::Array>> ToArray(const RowValues& values);
std::shared_ptr<arrow::DataType> ToArrowType(RowValues::Kind kind);

}  // namespace protium
