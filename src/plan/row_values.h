// SPDX-License-Identifier: Apache-2.0
// Expressions computed over the rows of a batch, for those functions on which all engines agree to
// the bit: arithmetic of doubles (IEEE 754), roots and logarithms (base/strict_math.h), the order
// of doubles, comparison of whole numbers, NULL and NaN. Everything else has no kind, and an engine
// computes it.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "protium/expr.h"

namespace protium {

// The values of an expression, one for each row of a batch. The value in a row that is not valid
// has no meaning.
struct RowValues {
  enum class Kind { kDouble, kWhole, kFlag };
  Kind kind = Kind::kDouble;
  std::vector<double> doubles;  // For kDouble.
  std::vector<int64_t> wholes;  // For kWhole, and 0 or 1 for kFlag.
  // 0 for NULL, else 1.
  std::vector<uint8_t> valid;

  // Whether a flag is true, neither false nor NULL.
  bool True(size_t row) const { return valid[row] != 0 && wholes[row] != 0; }
};

// The kind of an expression over columns of these types; nullopt if an engine has to compute it, or
// to say what is wrong with it.
std::optional<RowValues::Kind> InferKind(const Expr& expr, const arrow::Schema& schema);

// The values of an expression that has a kind over the columns of `batch`.
Result<RowValues> Evaluate(const Expr& expr, const arrow::RecordBatch& batch);

// The values as an Arrow column of type ToArrowType(values.kind): float64, int64 or boolean.
Result<std::shared_ptr<arrow::Array>> ToArray(const RowValues& values);
std::shared_ptr<arrow::DataType> ToArrowType(RowValues::Kind kind);

}  // namespace protium
