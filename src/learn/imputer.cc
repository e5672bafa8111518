// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "learn/stage.h"

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
    for (size_t i = 0; i < inputs().size(); ++i) {
      double value = options_.value;
      if (options_.with != Fill::kConstant) {
        PT_LET(value, ValueOf(states[i], inputs()[i]));
      }
      learned_.push_back({inputs()[i], outputs()[i], value});
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Filled>(learned, names()));
    return Status::OK();
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Filled& each : learned_) {
      added.push_back({each.output, CallOf("coalesce", {CallOf("nan_to_null", {Col(each.input)}),
                                                        Lit(each.value)})});
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 private:
  Result<double> ValueOf(const State& state, const std::string& column) const {
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
};

}  // namespace

std::unique_ptr<Stage> MakeStage(const ImputerOptions& options, StageNames names) {
  return std::make_unique<ImputerStage>(options, std::move(names));
}

}  // namespace protium
