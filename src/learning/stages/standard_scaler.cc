// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// (x - mean) / deviation, with the sample deviation (divisor n - 1). Both come from sums without
// rounding error (moments.cc). Learning leaves out NULL and NaN, and refuses infinities and a
// column without any value. Applying leaves NULL and NaN; in a constant column finite numbers
// become 0 and infinite ones NaN, as in Spark.
//
// Spark ML's StandardScaler has the same deviation, but subtracts the mean only if withMean is set,
// and multiplies by the rounded 1 / deviation: its last bit may differ.

namespace protium {
namespace {

struct Scaled {
  std::string input;
  std::string output;
  double mean = 0;
  double deviation = 0;  // 0: the column was constant.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("mean", mean);
    visit("deviation", deviation);
  }
};

class StandardScalerStage : public LearnedFormulaStage<Scaled> {
 public:
  StandardScalerStage(const StandardScalerOptions&, StageNames names)
      : LearnedFormulaStage(std::move(names)) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

  std::optional<Scale> scale(size_t i) const override {
    if (i >= entries().size() || entries()[i].deviation == 0) return std::nullopt;
    return Scale{entries()[i].mean, entries()[i].deviation};
  }

 protected:
  Result<Scaled> LearnOne(const std::string& input, const State& state) const override {
    const auto& moments = std::get<Moments>(state);
    PT_TRY(CheckSomeValue(moments.count(), input));
    const Scaled scaled{.mean = moments.Mean(), .deviation = moments.Deviation()};
    PT_TRY(CheckSpread(IsSound(scaled), input));
    return scaled;
  }

  // A negative deviation would flip signs, an infinite one would make every number 0.
  bool IsSound(const Scaled& scaled) const override {
    return std::isfinite(scaled.mean) && scaled.deviation >= 0 && std::isfinite(scaled.deviation);
  }

  // IEEE double, one subtraction and one division in this order on every engine: the same bits
  // everywhere.
  Expr ExprOf(const Scaled& scaled) const override {
    const Expr x = NumberOf(scaled.input);
    if (scaled.deviation == 0) return ZeroTimes(x);
    return (x - Lit(scaled.mean)) / Lit(scaled.deviation);
  }
};

}  // namespace

StageRow StandardScalerRow() {
  return MakeStageRow<StandardScalerStage, StandardScalerOptions>(
      "standard_scaler", "scales numbers to mean 0 and deviation 1; a constant column becomes 0");
}

}  // namespace protium
