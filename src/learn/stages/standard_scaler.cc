// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "learn/catalogue.h"

// (x - mean) / deviation, with the sample deviation (divisor n - 1). Both come from sums without
// rounding error (moments.cc). Learning leaves out NULL and NaN, and refuses infinities and a
// column without any value. Applying keeps NULL and NaN; but a constant column has nothing to
// divide by, so every value becomes 0, NaN too, and NULL stays.
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

class StandardScalerStage : public Stage {
 public:
  StandardScalerStage(const StandardScalerOptions&, StageNames names) : Stage(std::move(names)) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& moments = std::get<Moments>(states[i]);
      PT_TRY(CheckSomeValue(moments.count(), inputs()[i]));
      const double mean = moments.Mean(), deviation = moments.Deviation();
      PT_TRY(CheckSpread(std::isfinite(mean) && std::isfinite(deviation), inputs()[i]));
      learned_.push_back({inputs()[i], outputs()[i], mean, deviation});
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Scaled>(learned, names()));
    // A model folder may have been edited: a deviation below 0, or NaN, would turn signs or lose
    // all values.
    for (const Scaled& each : learned_) {
      if (each.deviation >= 0) continue;
      return Fail({.exit = Exit::kInput, .what = "stage \"" + id() + "\" has a deviation below 0"});
    }
    return Status::OK();
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Scaled& each : learned_) added.push_back({each.output, MakeExpr(each)});
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  // IEEE double, one subtraction and one division, in this order on every engine: the same bits
  // everywhere. A constant column becomes 0, but its NULLs stay.
  static Expr MakeExpr(const Scaled& scaled) {
    const Expr x = MakeCall("cast_double", {Col(scaled.input)});
    if (scaled.deviation > 0) return (x - Lit(scaled.mean)) / Lit(scaled.deviation);
    return MakeCall("if", {MakeCall("is_null", {Col(scaled.input)}), x, Lit(0.0)});
  }

  std::vector<Scaled> learned_;
};

}  // namespace

StageRow StandardScalerRow() {
  return MakeStageRow<StandardScalerStage, StandardScalerOptions>(
      "standard_scaler", "scales numbers to mean 0 and deviation 1; a constant column becomes 0");
}

}  // namespace protium
