// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// (x - median) / (upper quantile - lower quantile), without the subtraction unless `center`. Learns
// exact quantiles, elements of the data (NumberCounts::Quantile). Learning leaves out NULL and NaN,
// and refuses a column without any value and an infinite median or range. Applying leaves NULL and
// NaN; if the range is 0, finite numbers become 0 and infinite ones NaN.
//
// Spark ML's RobustScaler centres only on request, approximates the quantiles unless relativeError
// = 0, and multiplies by the rounded reciprocal of the range. One subtraction and one division, in
// this order, are correctly rounded on both engines.

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
                 .what = "lower must be below upper, and upper at most 1; got " +
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

class RobustScalerStage : public LearnedFormulaStage<Middle> {
 public:
  RobustScalerStage(const RobustScalerOptions& options, StageNames names)
      : LearnedFormulaStage(std::move(names)), options_(options) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kNumbers); }

  std::optional<Scale> scale(size_t i) const override {
    if (i >= entries().size() || entries()[i].range == 0 || !options_.center) return std::nullopt;
    return Scale{entries()[i].median, entries()[i].range};
  }

 protected:
  // The median is defined as the imputer's: the lower of the two middle values.
  Result<Middle> LearnOne(const std::string& input, const State& state) const override {
    const auto& numbers = std::get<NumberCounts>(state);
    PT_TRY(CheckSomeValue(numbers.count(), input));
    const Middle middle{
        .median = numbers.Median(),
        .range = numbers.Quantile(options_.upper) - numbers.Quantile(options_.lower)};
    // Counting accepts infinities, unlike adding; whether they matter is only known here.
    PT_TRY(CheckSpread(std::isfinite(middle.median) && std::isfinite(middle.range), input));
    return middle;
  }

  bool IsSound(const Middle& middle) const override { return middle.range >= 0; }

  // A range of 0 cannot be divided by; Spark also multiplies by 0 then.
  Expr ExprOf(const Middle& middle) const override {
    const Expr x = NumberOf(middle.input);
    if (middle.range == 0) return ZeroTimes(x);
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
