// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stages/column_stage.h"
#include "stages/row.h"

// Passes on, as doubles, the inputs whose sample variance (divisor n - 1) is above a threshold.
// Learns the variances; NULL and NaN are left out, infinities are refused, and a column that is
// constant or has no value has variance 0. Values pass unchanged, including NULL and NaN. Selecting
// no column at all is an error. Spark ML's VarianceThresholdSelector selects elements of a vector
// by the same rule.

namespace protium {
namespace {

struct VarianceThresholdSelectorOptions {
  std::string id;
  Inputs inputs;
  double threshold = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("threshold", threshold,
          {.help = "columns with a sample variance up to this are left out", .at_least = 0});
  }
};

// Stored for every input, including those left out, so that a model shows why.
struct Variance {
  std::string input;
  double variance = 0;  // The square of the sample deviation.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("variance", variance);
  }
};

class VarianceThresholdSelectorStage : public Stage {
 public:
  VarianceThresholdSelectorStage(const VarianceThresholdSelectorOptions& options, StageNames names)
      : Stage(std::move(names)), threshold_(options.threshold) {}

  bool learns_outputs() const override { return true; }
  std::vector<size_t> inputs_of(size_t i) const override { return {chosen_[i]}; }
  std::vector<Need> Needs() const override { return NeedsOfInputs(StateKind::kMoments); }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      const auto& moments = std::get<Moments>(states[i]);
      // A column without any value counts as constant: its deviation is 0. The square of a finite
      // deviation may still overflow.
      const double deviation = moments.Deviation();
      PT_TRY(CheckSpread(std::isfinite(deviation * deviation), inputs()[i]));
      learned_.push_back({inputs()[i], deviation * deviation});
    }
    return Choose();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  // The selection is computed again from the saved variances, so it cannot contradict them.
  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Variance>(learned, names()));
    return Choose();
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      added.push_back({outputs()[i], NumberOf(inputs()[chosen_[i]])});
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  Status Choose() {
    chosen_.clear();
    Columns outputs;
    for (size_t i = 0; i < learned_.size(); ++i) {
      if (!(learned_[i].variance > threshold_)) continue;
      chosen_.push_back(i);
      outputs.push_back(learned_[i].input + "__" + id());
    }
    SetOutputs(outputs);
    if (!outputs.empty()) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = "stage \"" + id() + "\" leaves no column: none varies by more than " +
                         Dump(fields::Short(threshold_)),
                 .fix = "leave the stage out, or lower its threshold"});
  }

  double threshold_;
  std::vector<Variance> learned_;
  std::vector<size_t> chosen_;  // Positions of the inputs passed on, ascending.
};

}  // namespace

StageRow VarianceThresholdSelectorRow() {
  return MakeStageRow<VarianceThresholdSelectorStage, VarianceThresholdSelectorOptions>(
      "variance_threshold_selector", "keeps the columns that vary enough, as doubles");
}

}  // namespace protium
