// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "learn/catalogue.h"

// low + (x - least) / (greatest - least) * (high - low), where least and greatest are the extremes
// of the training rows. Other rows may lie beyond them and then get values beyond low and high,
// unless `clip` is set. Learning leaves out NULL and NaN and refuses infinities, a range too large
// for a double, and a column without any value. Applying keeps NULL and NaN; but where the column
// was constant every value becomes `low`, NaN too, and NULL stays.
//
// Spark ML's MinMaxScaler has no `clip`, maps a constant column to (low + high) / 2, and multiplies
// by the rounded quotient (high - low) / (greatest - least): its last bit may differ.

namespace protium {
namespace {

struct MinMaxScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  double low = 0;
  double high = 1;
  bool clip = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
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

class MinMaxScalerStage : public Stage {
 public:
  MinMaxScalerStage(const MinMaxScalerOptions& options, StageNames names)
      : Stage(std::move(names)), options_(options) {}

  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& moments = std::get<Moments>(states[i]);
      PT_TRY(CheckSomeValue(moments.count(), inputs()[i]));
      PT_TRY(CheckSpread(std::isfinite(moments.High() - moments.Low()), inputs()[i]));
      learned_.push_back({inputs()[i], outputs()[i], moments.Low(), moments.High()});
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Extremes>(learned, names()));
    for (const Extremes& each : learned_) {
      if (each.least <= each.greatest) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "stage \"" + id() + "\" has a smallest value above the largest"});
    }
    return Status::OK();
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Extremes& each : learned_) added.push_back({each.output, MakeExpr(each)});
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  // Each step is rounded on its own, in the order that docs/model-folder.md gives, so that other
  // programs can reproduce the bits. A constant column becomes `low`, as there is nothing to divide
  // by; its NULLs stay.
  Expr MakeExpr(const Extremes& extremes) const {
    const Expr x = MakeCall("cast_double", {Col(extremes.input)});
    if (extremes.least == extremes.greatest) {
      return MakeCall("if", {MakeCall("is_null", {Col(extremes.input)}), x, Lit(options_.low)});
    }
    const Expr share = (x - Lit(extremes.least)) / Lit(extremes.greatest - extremes.least);
    // Leaves two operations out, which would change no value: x * 1 + 0 is x, but for the sign of a
    // zero.
    const bool plain = options_.low == 0 && options_.high == 1;
    const Expr scaled =
        plain ? share : share * Lit(options_.high - options_.low) + Lit(options_.low);
    return options_.clip ? Clipped(x, extremes, scaled) : scaled;
  }

  // Values at the ends and beyond become exactly `low` and `high`, not what rounding makes of them.
  // NaN is handled first: both engines order it above every number, so it would become `high`.
  Expr Clipped(const Expr& x, const Extremes& extremes, const Expr& scaled) const {
    const Expr below = MakeCall("if", {x <= Lit(extremes.least), Lit(options_.low), scaled});
    const Expr clipped = MakeCall("if", {x >= Lit(extremes.greatest), Lit(options_.high), below});
    return MakeCall("if", {MakeCall("is_nan", {x}), x, clipped});
  }

  MinMaxScalerOptions options_;
  std::vector<Extremes> learned_;
};

}  // namespace

StageRow MinMaxScalerRow() {
  return MakeStageRow<MinMaxScalerStage, MinMaxScalerOptions>(
      "min_max_scaler",
      "scales numbers to the range from low (0) to high (1); a constant column becomes low");
}

}  // namespace protium
