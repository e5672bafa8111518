// SPDX-License-Identifier: Apache-2.0
// Computes expressions over the rows of a batch, for the functions on which all engines agree to
// the bit: arithmetic of doubles (IEEE 754), roots and logarithms (base/strict_math.h), order and
// comparison, NULL and NaN, parts of dates and times, hashes of texts. Everything else has no kind,
// and an engine computes it.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/expr.h"

namespace protium {

// The values of an expression, one for each row of a batch. The value in an invalid row has no
// meaning.
struct RowValues {
  enum class Kind {
    kDouble,
    kWhole,  // int64
    kFlag,
    kText,
    // The kinds below occur within expressions only.
    kSmall,   // Whole numbers of 32 bits, a separate type in engines.
    kNumber,  // FLOAT and DECIMAL, which engines compute in other ways until they are cast.
    kDay,     // Days since 1970-01-01.
    kTime,    // Microseconds since then, in UTC.
    kNone     // NULL of no type, and what fails.
  };
  Kind kind = Kind::kDouble;
  std::vector<double> doubles;     // For kDouble and kNumber.
  std::vector<int64_t> wholes;     // For kWhole, kSmall, kDay and kTime; 0 or 1 for kFlag.
  std::vector<std::string> texts;  // For kText.
  // 0 for NULL, else 1, by row.
  std::vector<uint8_t> valid;

  // Whether a flag is true, neither false nor NULL.
  bool True(size_t row) const { return valid[row] != 0 && wholes[row] != 0; }
};

// Returns the kind of an expression over columns of these types; nullopt if an engine has to
// compute it, or to report what is wrong with it.
std::optional<RowValues::Kind> InferKind(const Expr& expr, const arrow::Schema& schema);

// Returns the values of an expression that has a kind over the columns of `batch`. A row for which
// it fails deliberately (error()), or divides by zero, is a fault of Exit::kInput, as on engines:
// only if the row reaches that part of the expression.
Result<RowValues> Evaluate(const Expr& expr, const arrow::RecordBatch& batch);

// Returns the values as an Arrow column of type ToArrowType(values.kind): float64, int64, boolean
// or utf8.
Result<std::shared_ptr<arrow::Array>> ToArray(const RowValues& values);
std::shared_ptr<arrow::DataType> ToArrowType(RowValues::Kind kind);

}  // namespace protium
