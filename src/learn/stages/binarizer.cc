// SPDX-License-Identifier: Apache-2.0
#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

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

class BinarizerStage : public PlainStage {
 public:
  BinarizerStage(const BinarizerOptions& options, StageNames names)
      : PlainStage(std::move(names)), threshold_(options.threshold) {}

 protected:
  // As Spark's: neither NaN nor NULL is above anything.
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
