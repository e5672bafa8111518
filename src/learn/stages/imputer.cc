// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>

#include "learn/catalogue.h"

// Fills NULL and NaN with a number learned from the other rows: the lower median (an element of the
// data, never a value between two), the mean, or the most frequent value; or with a given constant,
// for which no pass is needed. Infinities are kept; the mean of a column that has one is refused,
// and so is a median or mode that is infinite, and a column without any value.
//
// Spark ML's Imputer does the same, but takes the mean unless told otherwise, approximates the
// median unless relativeError = 0, and has no indicator columns. What the engine computes is a
// choice between the cell and a literal: nothing is rounded.

namespace protium {
namespace {

struct Filled {
  std::string input;
  std::string output;
  double value = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("value", value);
  }
};

// The moments of a column after its missing cells are filled with `value`: a scaler that follows an
// imputer then needs no pass of its own. Exact sums make this the same, bit for bit, as counting
// the filled column. None for a column with infinite cells, which that pass would refuse by name.
std::optional<Moments> MomentsWhenFilled(const State& state, double value) {
  if (const auto* const moments = std::get_if<Moments>(&state)) {
    Moments filled = *moments;
    filled.AddTimes(value, moments->missing());
    return filled;
  }
  const auto& numbers = std::get<NumberCounts>(state);
  Moments filled;
  for (const auto& [number, count] : numbers.counts()) {
    if (!std::isfinite(number)) return std::nullopt;
    filled.AddTimes(number, count);
  }
  filled.AddTimes(value, numbers.missing());
  return filled;
}

class ImputerStage : public Stage {
 public:
  ImputerStage(const ImputerOptions& options, StageNames names)
      : Stage(std::move(names)), options_(options) {
    if (!options_.indicator) return;
    Columns all = outputs();
    for (const std::string& output : outputs()) all.push_back(output + "__missing");
    SetOutputs(std::move(all));
  }

  // Filled columns come first, one per input, then the indicators in the same order.
  std::vector<size_t> inputs_of(size_t i) const override { return {i % inputs().size()}; }

  std::vector<Need> Needs() const override {
    std::vector<Need> needs;
    if (options_.with == Fill::kConstant) return needs;
    const bool mean = options_.with == Fill::kMean;
    for (const std::string& input : inputs()) {
      needs.push_back({mean ? StateKind::kMoments : StateKind::kNumbers, {input}});
    }
    return needs;
  }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    filled_.clear();
    for (size_t i = 0; i < inputs().size(); ++i) {
      double value = options_.value;
      if (options_.with != Fill::kConstant) {
        PT_LET(value, FindValue(states[i], inputs()[i]));
        filled_.push_back(MomentsWhenFilled(states[i], value));
      }
      learned_.push_back({inputs()[i], outputs()[i], value});
    }
    return Status::OK();
  }

  std::optional<State> OutputState(size_t i, StateKind kind) const override {
    if (kind != StateKind::kMoments || i >= filled_.size() || !filled_[i]) return std::nullopt;
    // A scaler behind an imputer finds its moments here and spares the level a pass over the rows.
    return *filled_[i];
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Filled>(learned, names()));
    return Status::OK();
  }

  // NaN counts as missing everywhere; engines know only NULL, hence nan_to_null.
  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Filled& each : learned_) {
      added.push_back(
          {each.output,
           MakeCall("coalesce", {MakeCall("nan_to_null", {Col(each.input)}), Lit(each.value)})});
    }
    if (options_.indicator) {
      for (const Filled& each : learned_) {
        const Expr missing = MakeCall("is_null", {MakeCall("nan_to_null", {Col(each.input)})});
        added.push_back({each.output + "__missing", MakeCall("if", {missing, Lit(1.0), Lit(0.0)})});
      }
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  Result<double> FindValue(const State& state, const std::string& column) const {
    const auto* const numbers = std::get_if<NumberCounts>(&state);
    const int64_t count = numbers ? numbers->count() : std::get<Moments>(state).count();
    if (count == 0) {
      return Fail({.exit = Exit::kInput,
                   .what = "column \"" + column + "\" has no value in the training rows",
                   .fix = "leave it out of \"" + id() + "\", or use with = \"constant\""});
    }
    double value = 0;
    if (numbers == nullptr) {
      value = std::get<Moments>(state).Mean();
    } else {
      value = options_.with == Fill::kMode ? numbers->Mode() : numbers->Median();
    }
    if (std::isfinite(value)) return value;
    return Fail({.exit = Exit::kInput,
                 .what = "column \"" + column + "\" would be filled with an infinite value"});
  }

  ImputerOptions options_;
  std::vector<Filled> learned_;
  std::vector<std::optional<Moments>> filled_;  // Of the outputs, for OutputState().
};

}  // namespace

StageRow ImputerRow() {
  return MakeStageRow<ImputerStage, ImputerOptions>("imputer",
                                                    "fills missing numbers: NULL and NaN");
}

}  // namespace protium
