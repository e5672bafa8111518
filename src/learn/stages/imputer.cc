// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>

#include "learn/catalogue.h"

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
      : Stage(std::move(names)), options_(options) {}

  std::vector<Need> Needs() const override {
    std::vector<Need> needs;
    if (options_.with == Fill::kConstant) return needs;
    const bool median = options_.with == Fill::kMedian;
    for (const std::string& input : inputs()) {
      needs.push_back({median ? StateKind::kNumbers : StateKind::kMoments, {input}});
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
    const double value = numbers ? numbers->Median() : std::get<Moments>(state).Mean();
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
