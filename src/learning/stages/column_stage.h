// SPDX-License-Identifier: Apache-2.0
// Base classes for the usual shapes of a stage, and the expressions that they share. A kind that
// learns nothing is a PlainStage; one that learns an entry from each input, with one output each,
// is a LearningStage and defines LearnOne() and IsSound(). Where each output is one expression, a
// kind is a FormulaStage or a LearnedFormulaStage and defines ExprOf(); others define Apply().
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stages/stage.h"

namespace protium {

// The options of a stage with one output per input. A kind's own options derive from it.
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

// Returns a column as a double. Stages on numbers read every column this way, so that integers and
// decimals follow IEEE arithmetic on both engines, and not each engine's own rules for their types.
// NULL stays NULL; whole numbers beyond 2^53 are rounded.
inline Expr NumberOf(const std::string& column) { return MakeCall("cast_double", {Col(column)}); }

// `then` where x is NaN, else `otherwise`. Guards comparisons: both engines order NaN above every
// number, unlike IEEE 754. NULL counts as not NaN.
inline Expr IfNan(const Expr& x, Expr then, Expr otherwise) {
  return MakeCall("if", {MakeCall("is_nan", {x}), std::move(then), std::move(otherwise)});
}

// `then` where x is NULL, else `otherwise`.
inline Expr IfNull(const Expr& x, Expr then, Expr otherwise) {
  return MakeCall("if", {MakeCall("is_null", {x}), std::move(then), std::move(otherwise)});
}

// What Spark's scalers return for x if the spread is 0: 0 for a finite number, NaN for NaN and the
// infinities, NULL for NULL. The sum turns -0.0, the product for negative numbers, into 0.0.
inline Expr ZeroTimes(const Expr& x) { return x * Lit(0.0) + Lit(0.0); }

// Returns `name` with as many underscores appended as make it differ from all of `columns`. For a
// column that exists only while a stage is applied: the stage's last projection drops it.
inline std::string FreeName(std::string name, const Columns& columns) {
  while (std::find(columns.begin(), columns.end(), name) != columns.end()) name += "_";
  return name;
}

// Adds the output of each entry, an aggregate with `input`, `output` and `keys`, as make(position,
// entry): `position` is that of the input's text among the keys, as int64; the next one stands for
// all other texts, the one after it for NULL. The columns of positions exist only below the last
// projection.
template <class Entry, class Make>
Plan EncodeByKey(Plan rows, const Columns& columns, const std::vector<Entry>& entries,
                 const Make& make) {
  std::vector<NamedExpr> added;
  for (const Entry& each : entries) {
    const std::string position = FreeName("__position__" + each.output, columns);
    const auto keys = static_cast<int64_t>(each.keys.size());
    rows = MakePlan(Lookup{.column = each.input,
                           .output = position,
                           .keys = std::make_shared<const std::vector<std::string>>(each.keys),
                           .unseen = keys,
                           .missing = keys + 1},
                    {std::move(rows)});
    added.push_back({each.output, make(Col(position), each)});
  }
  return WithColumns(std::move(rows), columns, std::move(added));
}

// Refuses anything but an empty list: the learned state of a stage that learns nothing.
Status CheckNothingLearned(const Json& learned, const std::string& id);

// A stage of the kind Base that learns nothing: its entry in stages.json is empty, and it needs no
// pass.
template <class Base>
class LearnsNothing : public Base {
 public:
  using Base::Base;
  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return Json::array(); }
  Status Restore(const Json& learned) override { return CheckNothingLearned(learned, this->id()); }
};
using PlainStage = LearnsNothing<Stage>;

// A stage that learns nothing and makes each output by one expression.
class FormulaStage : public PlainStage {
 public:
  using PlainStage::PlainStage;
  Plan Apply(Plan rows, const Columns& columns) const override;

 protected:
  // The expression of output `i`, over the columns of the table and of earlier stages.
  virtual Expr ExprOf(size_t i) const = 0;
};

// A stage that learns an Entry from each input by one state each: Needs(), which a kind defines,
// must list one need per input, in order. An Entry is an aggregate with Fields() and has the column
// names `input` and `output`, which are filled in here; its JSON is stored in stages.json.
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

 protected:
  virtual Result<Entry> LearnOne(const std::string& input, const State& state) const = 0;
  // Whether an entry read from a file could have been learned. Files can be edited or damaged, and
  // impossible values (a scale below 0, say) would produce wrong results without an error.
  virtual bool IsSound(const Entry& entry) const = 0;

  const std::vector<Entry>& entries() const { return learned_; }

 private:
  std::vector<Entry> learned_;
};

// A LearningStage that makes each output by one expression.
template <class Entry>
class LearnedFormulaStage : public LearningStage<Entry> {
 public:
  using LearningStage<Entry>::LearningStage;
  Plan Apply(Plan rows, const Columns& columns) const override {
    std::vector<NamedExpr> added;
    for (const Entry& each : this->entries()) added.push_back({each.output, ExprOf(each)});
    return WithColumns(std::move(rows), columns, std::move(added));
  }

 protected:
  virtual Expr ExprOf(const Entry& entry) const = 0;
};

}  // namespace protium
