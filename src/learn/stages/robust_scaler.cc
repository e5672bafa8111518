// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "learn/catalogue.h"
#include "learn/stages/column_stage.h"

namespace protium {
namespace {

struct RobustScalerOptions : ColumnOptions {
  double lower = 0.25;
  double upper = 0.75;
  bool center = true;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("lower", lower, {.help = "the lower quantile of the range", .at_least = 0, .below = 1});
    visit("upper", upper, {.help = "the upper quantile; the range between becomes 1", .above = 0});
    visit("center", center, {.help = "the median becomes 0; Spark's withCentering"});
  }

  Status Check(const std::string& path) const {
    if (lower < upper && upper <= 1) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "lower and upper must rise and be shares up to 1, got " +
                         Dump(fields::Short(lower)) + " and " + Dump(fields::Short(upper)),
                 .where = path + ".upper"});
  }
};

struct Middle {
  std::string input;
  std::string output;
  double median = 0;
  double range = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("median", median);
    visit("range", range);
  }
};

class RobustScalerStage : public LearningStage<Middle> {
 public:
  RobustScalerStage(const RobustScalerOptions& options, StageNames names)
      : LearningStage(std::move(names)), options_(options) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kNumbers); }

 protected:
  // Quantiles are elements of the data, as Spark's with relativeError = 0, and the median that of
  // the imputer.
  Result<Middle> LearnOne(const std::string& input, const State& state) const override {
    const auto& numbers = std::get<NumberCounts>(state);
    PT_TRY(CheckSomeValue(numbers.count(), input));
    const Middle middle{
        .median = numbers.Median(),
        .range = numbers.Quantile(options_.upper) - numbers.Quantile(options_.lower)};
    PT_TRY(CheckSpread(std::isfinite(middle.median) && std::isfinite(middle.range), input));
    return middle;
  }

  bool IsSound(const Middle& middle) const override { return middle.range >= 0; }

  // A range of 0 tells nothing of how far values are from the median: they become 0, as in Spark.
  Expr ExprOf(const Middle& middle) const override {
    const Expr x = NumberOf(middle.input);
    if (middle.range == 0) return IfNull(x, x, Lit(0.0));
    const Expr centered = options_.center ? x - Lit(middle.median) : x;
    return centered / Lit(middle.range);
  }

 private:
  RobustScalerOptions options_;
};

}  // namespace

StageRow RobustScalerRow() {
  return MakeStageRow<RobustScalerStage, RobustScalerOptions>(
      "robust_scaler",
      "subtracts the median and divides by the range between two exact quantiles; robust against "
      "outliers");
}

}  // namespace protium
