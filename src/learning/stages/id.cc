// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/column_stage.h"
#include "stages/row.h"

// Marks columns as ids: a net has a row for each value of its training rows, without a vocabulary
// and without a bound. Learns nothing. The output is the value's text; where rows are packed, it
// becomes 64 bits: XXH3-64 of its bytes in UTF-8, and NULL that of the empty text (docs/rows.md).
// Workers of every engine compute that, since no engine has this hash in SQL. Whole numbers go by
// their text, so that a column means the same ids whether it is read as numbers or as texts.

namespace protium {
namespace {

class IdStage : public FormulaStage {
 public:
  IdStage(const ColumnOptions&, StageNames names) : FormulaStage(std::move(names)) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override { return arrow::utf8(); }
  bool makes_ids() const override { return true; }
  Status CheckType(const arrow::DataType& type) const override { return CheckCategories(type); }

 protected:
  Expr ExprOf(size_t i) const override { return MakeCall("cast_string", {Col(inputs()[i])}); }
};

}  // namespace

StageRow IdRow() {
  return MakeStageRow<IdStage, ColumnOptions>(
      "id", "marks texts and whole numbers as ids: a net has a row for each, however many");
}

}  // namespace protium
