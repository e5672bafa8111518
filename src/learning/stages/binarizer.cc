// SPDX-License-Identifier: Apache-2.0
#include "stages/column_stage.h"
#include "stages/row.h"

// 1.0 where x > threshold, else 0.0. Learns nothing, so an empty table or a constant column needs
// no special handling. NULL and NaN become 0.0; infinities are compared like any number. Spark ML's
// Binarizer does the same, with a threshold per column where this stage has one for all its inputs.
// A comparison with a literal rounds nothing, so both engines agree.

namespace protium {
namespace {

struct BinarizerOptions : ColumnOptions {
  double threshold = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("threshold", threshold, {.help = "numbers above it become 1, all others 0"});
  }
};

class BinarizerStage : public FormulaStage {
 public:
  BinarizerStage(const BinarizerOptions& options, StageNames names)
      : FormulaStage(std::move(names)), threshold_(options.threshold) {}

 protected:
  // NULL needs no branch: NULL > threshold is NULL, which CASE WHEN treats as not met. NaN does:
  // both engines order it above every number, so it would become 1.
  Expr ExprOf(size_t i) const override {
    const Expr x = NumberOf(inputs()[i]);
    const Expr above = MakeCall("if", {x > Lit(threshold_), Lit(1.0), Lit(0.0)});
    return IfNan(x, Lit(0.0), above);
  }

 private:
  double threshold_;
};

}  // namespace

StageRow BinarizerRow() {
  return MakeStageRow<BinarizerStage, BinarizerOptions>(
      "binarizer", "1 for numbers above a threshold, 0 for all others, including NULL and NaN");
}

}  // namespace protium
