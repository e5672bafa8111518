// SPDX-License-Identifier: Apache-2.0
// What most kinds of stage share: an output per input, each an expression of its input. A kind that
// learns nothing is a PlainStage; one that learns something of each input is a LearningStage.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "learn/stages/stage.h"

namespace protium {

// The options of a stage with an output per input; those of a kind derive from it.
struct ColumnOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("outputs", outputs, {.help = kOutputsHelp});
  }
};

// A column as a double, as stages that work on numbers read it. NULL stays NULL.
inline Expr NumberOf(const std::string& column) { return MakeCall("cast_double", {Col(column)}); }

// `otherwise`, but `then` where x is NaN. Comparisons come after this: engines order NaN above
// every number.
inline Expr IfNan(const Expr& x, Expr then, Expr otherwise) {
  return MakeCall("if", {MakeCall("is_nan", {x}), std::move(then), std::move(otherwise)});
}

// `otherwise`, but `then` where x is NULL.
inline Expr IfNull(const Expr& x, Expr then, Expr otherwise) {
  return MakeCall("if", {MakeCall("is_null", {x}), std::move(then), std::move(otherwise)});
}

// `name`, or one like it that is not among `columns`: for a column that exists only while a stage
// is applied.
inline std::string FreeName(std::string name, const Columns& columns) {
  while (std::find(columns.begin(), columns.end(), name) != columns.end()) name += "_";
  return name;
}

// Learns nothing.
class PlainStage : public Stage {
 public:
  using Stage::Stage;
  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return Json::array(); }
  Status Restore(const Json& learned) override;
  Plan Apply(Plan rows, const Columns& columns) const override;

 protected:
  // What output `i` is.
  virtual Expr ExprOf(size_t i) const = 0;
};

// Learns an Entry of each input from its one state. An Entry is an aggregate with Fields(), whose
// first two are `input` and `output`.
template <class Entry>
class LearningStage : public Stage {
 public:
  using Stage::Stage;

  Status Learn(std::span<const State> states) override {
    learned_.clear();
    for (size_t i = 0; i < states.size(); ++i) {
      PT_LET(Entry entry, LearnOne(inputs()[i], states[i]));
      entry.input = inputs()[i];
      entry.output = outputs()[i];
      learned_.push_back(std::move(entry));
    }
    return Status::OK();
  }

  Json learned() const override { return FieldsToJson(learned_); }

  Status Restore(const Json& learned) override {
    PT_LET(learned_, ReadLearned<Entry>(learned, names()));
    for (const Entry& each : learned_) {
      if (IsSound(each)) continue;
      return Fail({.exit = Exit::kInput,
                   .what = "the values that stage \"" + id() + "\" learned from \"" + each.input +
                           "\" are damaged"});
    }
    return Status::OK();
  }

  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Entry& each : learned_) added.push_back({each.output, ExprOf(each)});
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 protected:
  virtual Result<Entry> LearnOne(const std::string& input, const State& state) const = 0;
  // Whether an entry could have been learned; it was read from a file.
  virtual bool IsSound(const Entry& entry) const = 0;
  virtual Expr ExprOf(const Entry& entry) const = 0;

  const std::vector<Entry>& entries() const { return learned_; }

 private:
  std::vector<Entry> learned_;
};

}  // namespace protium
