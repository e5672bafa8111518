// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// low + (x - least) / (greatest - least) * (high - low), where least and greatest are the extremes
// of the training rows. Other rows may be outside and then get values outside low and high, unless
// `clip` is set. Learning leaves out NULL and NaN and refuses infinities, a range too large for a
// double, and a column without any value. Applying leaves NULL and NaN; if the column was constant,
// all other values become `low`.
//
// Spark ML's MinMaxScaler has no `clip`, maps a constant column to (low + high) / 2, and multiplies
// by the rounded quotient (high - low) / (greatest - least): its last bit may differ.

namespace protium {
namespace {

struct MinMaxScalerOptions : ColumnOptions {
  double low = 0;
  double high = 1;
  bool clip = false;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("low", low, {.help = "what the smallest training value becomes"});
    visit("high", high, {.help = "what the largest training value becomes"});
    visit("clip", clip, {.help = "values outside the training range become low or high"});
  }

  Status Check(const std::string& path) const {
    if (low < high) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "low = " + Dump(fields::Short(low)) +
                         " is not below high = " + Dump(fields::Short(high)),
                 .where = path + ".low"});
  }
};

struct Extremes {
  std::string input;
  std::string output;
  double least = 0;
  double greatest = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("least", least);
    visit("greatest", greatest);
  }
};

class MinMaxScalerStage : public LearnedFormulaStage<Extremes> {
 public:
  MinMaxScalerStage(const MinMaxScalerOptions& options, StageNames names)
      : LearnedFormulaStage(std::move(names)), options_(options) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

 protected:
  Result<Extremes> LearnOne(const std::string& input, const State& state) const override {
    const auto& moments = std::get<Moments>(state);
    PT_TRY(CheckSomeValue(moments.count(), input));
    const Extremes extremes{.least = moments.Low(), .greatest = moments.High()};
    PT_TRY(CheckSpread(IsSound(extremes), input));
    return extremes;
  }

  bool IsSound(const Extremes& extremes) const override {
    return extremes.least <= extremes.greatest && std::isfinite(extremes.greatest - extremes.least);
  }

  // Each step is rounded on its own, in the order given in docs/model-folder.md, so that other
  // programs can reproduce the bits. A constant column becomes `low`, as the range is 0.
  Expr ExprOf(const Extremes& extremes) const override {
    const Expr x = NumberOf(extremes.input);
    if (extremes.least == extremes.greatest) {
      return IfNan(x, x, IfNull(x, x, Lit(options_.low)));
    }
    const Expr share = (x - Lit(extremes.least)) / Lit(extremes.greatest - extremes.least);
    // Leaves out two operations that would change no value: x * 1 + 0 is x, except for the sign of
    // a zero.
    const bool plain = options_.low == 0 && options_.high == 1;
    const Expr scaled =
        plain ? share : share * Lit(options_.high - options_.low) + Lit(options_.low);
    return options_.clip ? Clipped(x, extremes, scaled) : scaled;
  }

 private:
  // Values at the ends and beyond become exactly `low` and `high`, without rounding. NaN is handled
  // first: both engines order it above every number, so it would become `high`.
  Expr Clipped(const Expr& x, const Extremes& extremes, const Expr& scaled) const {
    const Expr below = MakeCall("if", {x <= Lit(extremes.least), Lit(options_.low), scaled});
    const Expr clipped = MakeCall("if", {x >= Lit(extremes.greatest), Lit(options_.high), below});
    return IfNan(x, x, clipped);
  }

  MinMaxScalerOptions options_;
};

}  // namespace

StageRow MinMaxScalerRow() {
  return MakeStageRow<MinMaxScalerStage, MinMaxScalerOptions>(
      "min_max_scaler",
      "scales numbers to the range from low (0) to high (1); a constant column becomes low");
}

}  // namespace protium
