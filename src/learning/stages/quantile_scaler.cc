// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "stages/buckets.h"
#include "stages/column_stage.h"
#include "stages/row.h"

// A rising function of x, linear between knots, that makes training rows about normally
// distributed: the exact quantile of the share Phi(z) of them (NumberCounts::Quantile) becomes z,
// for z = -3, -2.75, ... 3. Equal quantiles are one knot in the middle of their z. Beyond the outer
// knots the function goes on with the slope of the last two, up to -4 and 4. Learning leaves out
// NULL and NaN, and refuses a column without any value and an infinite quantile. Applying leaves
// NULL and NaN; with one knot alone, finite numbers become 0 and infinite ones NaN.
//
// scikit-learn's QuantileTransformer(output_distribution="normal") has quantiles at equal shares
// and ends at the outer ones. Spark ML has no such class. One subtraction, one product and one sum,
// in this order, are correctly rounded on both engines.

namespace protium {
namespace {

constexpr double kLowest = -3, kStep = 0.25, kLimit = 4;
// Phi(0), Phi(0.25), ... Phi(3), the normal distribution: as constants, since erf() of C libraries
// differs in the last bit.
constexpr std::array kShares = {
    0.5,
    0.5987063256829237,
    0.6914624612740131,
    0.7733726476231317,
    0.8413447460685429,
    0.8943502263331446,
    0.9331927987311419,
    0.9599408431361829,
    0.9772498680518208,
    0.9877755273449553,
    0.9937903346742238,
    0.9970202367649454,
    0.9986501019683699,
};

struct Knots {
  std::string input;
  std::string output;
  std::vector<double> numbers;  // Both ascend, one level per number.
  std::vector<double> levels;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("numbers", numbers);
    visit("levels", levels);
  }
};

// Phi(-3), ... Phi(3).
std::vector<double> Shares() {
  std::vector<double> shares;
  for (size_t k = kShares.size() - 1; k > 0; --k) shares.push_back(1 - kShares[k]);
  shares.insert(shares.end(), kShares.begin(), kShares.end());
  return shares;
}

double Slope(const Knots& knots, size_t i) {
  return (knots.levels[i + 1] - knots.levels[i]) / (knots.numbers[i + 1] - knots.numbers[i]);
}

class QuantileScalerStage : public LearnedFormulaStage<Knots> {
 public:
  QuantileScalerStage(const ColumnOptions&, StageNames names)
      : LearnedFormulaStage(std::move(names)) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kNumbers); }

 protected:
  Result<Knots> LearnOne(const std::string& input, const State& state) const override {
    const auto& numbers = std::get<NumberCounts>(state);
    PT_TRY(CheckSomeValue(numbers.count(), input));
    const std::vector<double> quantiles = numbers.QuantilesAt(Shares());
    Knots knots;
    double first = 0;  // The first level of the last knot.
    double level = kLowest - kStep;
    for (const double number : quantiles) {
      level += kStep;
      PT_TRY(CheckSpread(std::isfinite(number), input));
      // Numbers that are too close to divide by their distance are one.
      if (!knots.numbers.empty() && !std::isfinite(1 / (number - knots.numbers.back()))) {
        knots.levels.back() = (first + level) / 2;
        continue;
      }
      first = level;
      knots.numbers.push_back(number);
      knots.levels.push_back(level);
    }
    return knots;
  }

  bool IsSound(const Knots& knots) const override {
    bool rising = !knots.numbers.empty() && knots.numbers.size() == knots.levels.size();
    for (size_t i = 1; rising && i < knots.numbers.size(); ++i) {
      rising = knots.numbers[i - 1] < knots.numbers[i] && knots.levels[i - 1] < knots.levels[i];
    }
    return rising;
  }

  Expr ExprOf(const Knots& knots) const override {
    const Expr x = NumberOf(knots.input);
    if (knots.numbers.size() == 1) return ZeroTimes(x);
    std::vector<Expr> bounds, lines;
    for (size_t i = 0; i + 1 < knots.numbers.size(); ++i) {
      if (i > 0) bounds.push_back(Lit(knots.numbers[i]));
      lines.push_back((x - Lit(knots.numbers[i])) * Lit(Slope(knots, i)) + Lit(knots.levels[i]));
    }
    const Expr level = Stepped(x, bounds, lines);
    const Expr above = MakeCall("if", {level < Lit(-kLimit), Lit(-kLimit), level});
    // Both engines order NaN above every number: without this it would become the limit.
    return IfNan(x, x, MakeCall("if", {above > Lit(kLimit), Lit(kLimit), above}));
  }
};

}  // namespace

StageRow QuantileScalerRow() {
  return MakeStageRow<QuantileScalerStage, ColumnOptions>(
      "quantile_scaler",
      "makes numbers about normally distributed by exact quantiles, between which it is linear; "
      "robust against outliers, and best for nets");
}

}  // namespace protium
