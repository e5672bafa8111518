// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// x / size, where size is the largest absolute value of the training rows. Learning leaves out NULL
// and NaN, and refuses infinities and a column without any value; applying leaves NULL and NaN as
// they are. A column of zeros is left unchanged.
//
// Spark ML's MaxAbsScaler multiplies by the rounded 1 / size instead, so its results may differ in
// the last bit and its largest value need not become exactly 1. One division is correctly rounded
// on both engines.

namespace protium {
namespace {

struct Largest {
  std::string input;
  std::string output;
  double size = 0;  // The largest absolute value.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("size", size);
  }
};

class MaxAbsScalerStage : public LearnedFormulaStage<Largest> {
 public:
  MaxAbsScalerStage(const ColumnOptions&, StageNames names)
      : LearnedFormulaStage(std::move(names)) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

 protected:
  Result<Largest> LearnOne(const std::string& input, const State& state) const override {
    const auto& moments = std::get<Moments>(state);
    PT_TRY(CheckSomeValue(moments.count(), input));
    return Largest{.size = std::max(std::fabs(moments.Low()), std::fabs(moments.High()))};
  }

  // A negative size would flip signs, an infinite one would make every value 0.
  bool IsSound(const Largest& largest) const override {
    return largest.size >= 0 && std::isfinite(largest.size);
  }

  Expr ExprOf(const Largest& largest) const override {
    const Expr x = NumberOf(largest.input);
    return largest.size == 0 ? x : x / Lit(largest.size);
  }
};

}  // namespace

StageRow MaxAbsScalerRow() {
  return MakeStageRow<MaxAbsScalerStage, ColumnOptions>(
      "max_abs_scaler",
      "scales numbers to -1 to 1, dividing by the largest absolute value; 0 stays 0");
}

}  // namespace protium
