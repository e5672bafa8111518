// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>

#include "stages/column_stage.h"
#include "stages/row.h"

// Fills NULL and NaN with a number learned from the other rows: the lower median (an element of the
// data, never a value between two), the mean, or the most frequent value; or with a given constant,
// for which no pass is needed. Infinities stay; the mean of a column that has one is refused, and
// so is a median or mode that is infinite. A column without any value, as a fold may leave it,
// becomes the constant 0, and a note says so. With `by` the number comes from the rows of the same
// group; a group without any value, or one that training did not see, uses that of all rows.
//
// Spark ML's Imputer does the same, but uses the mean by default, approximates the median unless
// relativeError = 0, and has neither groups nor indicator columns. The engine computes a choice
// between the cell and a literal: nothing is rounded.

namespace protium {
namespace {

struct Filled {
  std::string input;
  std::string output;
  double value = 0;               // Of all rows.
  std::vector<std::string> keys;  // Of groups (GroupKey), by bytes; empty without `by`.
  std::vector<double> values;     // Of the groups, in the order of the keys.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("output", output);
    visit("value", value);
    visit("keys", keys);
    visit("values", values);
  }
};

// The columns that define groups follow the inputs.
StageNames WithGroups(StageNames names, const Columns& by) {
  names.inputs.insert(names.inputs.end(), by.begin(), by.end());
  return names;
}

// The moments of a column after its missing cells are filled with `value`: a scaler after an
// imputer then needs no pass of its own. Exact sums make this the same, bit for bit, as counting
// the filled column. None for a column with infinite cells, which that pass would refuse by name,
// and none for groups, whose cells are filled differently.
std::optional<Moments> MomentsWhenFilled(const State& state, double value) {
  if (std::holds_alternative<GroupNumbers>(state)) return std::nullopt;
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
      : Stage(WithGroups(names, options.by)), options_(options), cells_(std::move(names)) {
    if (!options_.indicator) return;
    Columns all = outputs();
    for (const std::string& output : outputs()) all.push_back(output + "__missing");
    SetOutputs(std::move(all));
  }

  Status CheckInput(size_t i, const arrow::DataType& type) const override {
    return i < cells_.inputs.size() ? CheckNumeric(type) : CheckCategories(type);
  }

  // Filled columns come first, one per input, then the indicators in the same order.
  std::vector<size_t> inputs_of(size_t i) const override {
    std::vector<size_t> from = {i % cells_.inputs.size()};
    for (size_t at = cells_.inputs.size(); at < inputs().size(); ++at) from.push_back(at);
    return from;
  }

  std::vector<Need> Needs() const override {
    std::vector<Need> needs;
    if (options_.with == Fill::kConstant) return needs;
    const bool mean = options_.with == Fill::kMean;
    for (const std::string& input : cells_.inputs) {
      if (options_.by.empty()) {
        needs.push_back({mean ? StateKind::kMoments : StateKind::kNumbers, {input}});
        continue;
      }
      Columns columns = options_.by;
      columns.push_back(input);
      needs.push_back({StateKind::kGroupNumbers, std::move(columns)});
    }
    return needs;
  }

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    filled_.clear();
    empty_.clear();
    for (size_t i = 0; i < cells_.inputs.size(); ++i) {
      Filled filled{cells_.inputs[i], cells_.outputs[i], options_.value};
      if (options_.with != Fill::kConstant) {
        PT_TRY(LearnOne(states[i], filled));
        filled_.push_back(MomentsWhenFilled(states[i], filled.value));
      }
      learned_.push_back(std::move(filled));
    }
    return Status::OK();
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const std::string& column : empty_) {
      notes.push_back("column \"" + column + "\" has no value in the training rows: stage \"" +
                      id() + "\" fills it with " + Dump(Json(options_.value)));
    }
    return notes;
  }

  std::optional<State> OutputState(size_t i, StateKind kind) const override {
    if (kind != StateKind::kMoments || i >= filled_.size() || !filled_[i]) return std::nullopt;
    // A scaler after an imputer gets its moments here, which saves the level a pass over the rows.
    return *filled_[i];
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Filled>(learned, cells_));
    for (const Filled& each : learned_) {
      const bool grouped = !options_.by.empty() || each.keys.empty();
      if (grouped && each.keys.size() == each.values.size()) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "the groups of stage \"" + id() + "\" do not fit their values"});
    }
    return Status::OK();
  }

  // NaN counts as missing everywhere; engines only know NULL, hence nan_to_null.
  Plan Apply(Plan rows, const Columns& columns) const override {
    rows = options_.by.empty() ? FilledAlike(std::move(rows), columns)
                               : FilledByGroup(std::move(rows), columns);
    if (!options_.indicator) return rows;
    Columns there = columns;
    std::vector<NamedExpr> added;
    for (const Filled& each : learned_) {
      there.push_back(each.output);
      const Expr missing = MakeCall("is_null", {Cell(each)});
      added.push_back({each.output + "__missing", MakeCall("if", {missing, Lit(1.0), Lit(0.0)})});
    }
    return WithColumns(std::move(rows), there, std::move(added));
  }

 private:
  static Expr Cell(const Filled& filled) { return MakeCall("nan_to_null", {Col(filled.input)}); }

  Plan FilledAlike(Plan rows, const Columns& columns) const {
    std::vector<NamedExpr> added;
    for (const Filled& each : learned_) {
      added.push_back({each.output, MakeCall("coalesce", {Cell(each), Lit(each.value)})});
    }
    return WithColumns(std::move(rows), columns, std::move(added));
  }

  // The key is a separate column below the last projection, so that a Lookup can find it by name.
  Plan FilledByGroup(Plan rows, const Columns& columns) const {
    struct Grouped {
      std::string input;
      std::string output;
      std::vector<std::string> keys;
      const Filled* filled;
    };
    const std::string key = FreeName("__group__" + id(), columns);
    std::vector<Grouped> grouped;
    for (const Filled& each : learned_) grouped.push_back({key, each.output, each.keys, &each});
    rows = WithColumns(std::move(rows), columns, {{key, GroupKey(options_.by)}});
    return EncodeByKey(
        std::move(rows), columns, grouped, [](const Expr& position, const Grouped& each) {
          return MakeCall("coalesce", {Cell(*each.filled), ValueAt(position, *each.filled)});
        });
  }

  // After the groups' values comes that of all rows, for a group that is not among them. A key is
  // never NULL.
  static Expr ValueAt(const Expr& position, const Filled& filled) {
    std::vector<Expr> arguments = {position};
    for (const double value : filled.values) arguments.push_back(Lit(value));
    arguments.push_back(Lit(filled.value));
    return MakeCall("pick", std::move(arguments));
  }

  Status LearnOne(const State& state, Filled& filled) {
    if (const auto* const moments = std::get_if<Moments>(&state)) {
      if (moments->count() == 0) return LeaveConstant(filled);
      return Take(moments->Mean(), filled.input, filled.value);
    }
    if (const auto* const numbers = std::get_if<NumberCounts>(&state)) {
      if (numbers->count() == 0) return LeaveConstant(filled);
      return TakeFrom(*numbers, filled.input, filled.value);
    }
    const auto& groups = std::get<GroupNumbers>(state);
    const NumberCounts all = groups.All();
    if (all.count() == 0) return LeaveConstant(filled);
    PT_TRY(TakeFrom(all, filled.input, filled.value));
    for (const auto& [key, numbers] : groups.groups()) {
      filled.keys.push_back(key);
      PT_TRY(TakeFrom(numbers, filled.input, filled.values.emplace_back()));
    }
    return Status::OK();
  }

  Status TakeFrom(const NumberCounts& numbers, const std::string& column, double& value) const {
    if (options_.with == Fill::kMode) return Take(numbers.Mode(), column, value);
    if (options_.with == Fill::kMedian) return Take(numbers.Median(), column, value);
    Moments moments;
    for (const auto& [number, count] : numbers.counts()) {
      // The mean of a column with an infinite number is not finite, so Take() refuses it.
      if (!std::isfinite(number)) return Take(number, column, value);
      moments.AddTimes(number, count);
    }
    return Take(moments.Mean(), column, value);
  }

  // The value is the same as for with = "constant".
  Status LeaveConstant(const Filled& filled) {
    empty_.push_back(filled.input);
    return Status::OK();
  }

  static Status Take(double found, const std::string& column, double& value) {
    value = found;
    if (std::isfinite(value)) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = "column \"" + column + "\" would be filled with an infinite value"});
  }

  ImputerOptions options_;
  StageNames cells_;  // Without the group columns and the indicators.
  std::vector<Filled> learned_;
  Columns empty_;                               // Columns without any value.
  std::vector<std::optional<Moments>> filled_;  // By output, for OutputState().
};

}  // namespace

StageRow ImputerRow() {
  return MakeStageRow<ImputerStage, ImputerOptions>("imputer",
                                                    "fills missing numbers: NULL and NaN");
}

}  // namespace protium
