// SPDX-License-Identifier: Apache-2.0
// A stage of a pipeline: learns from the training rows in one pass, then adds columns to any rows.
//
// 1. Needs() says which states a pass must fill, Learn() takes them (state.h). Both are cheap and
//    run in the driver; the pass runs in workers (pipeline/fit_task.h).
// 2. Apply() adds expressions to a plan, so engines do the work and no stage touches a row.
// 3. What is learned is exact and independent of the order and partitioning of rows; learned()
//    followed by Restore() restores the same stage to the last bit.
//
// To add a kind: a file with its options, its Stage and its row, and that row's line in
// catalogue.cc.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/node.h"
#include "protium/stages.h"
#include "statistics/state.h"

namespace protium {

// A column that stages can read.
struct StageColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  int32_t maker = -1;  // Position of the stage that made it; -1: a column of the table.
  int64_t length = 0;  // Of each list; 0: not a list, or unknown length.
};

// Asks the engine for the schema of a plan's result, without running it.
using Analyze = std::function<Result<SchemaPtr>(const Plan&)>;

// A stage's id and columns, after references to other stages have been resolved.
struct StageNames {
  std::string id;
  Columns inputs;
  Columns outputs;  // Empty if the stage learns them.
};

class BatchStage;
class HistoryStage;

class Stage {
 public:
  explicit Stage(StageNames names) : names_(std::move(names)) {}
  virtual ~Stage() = default;
  const std::string& id() const { return names_.id; }
  const Columns& inputs() const { return names_.inputs; }

  // The columns it adds. Three cases: one per input, as the placer named them; another list that
  // the constructor sets because it follows from the options; or, if learns_outputs(), at least one
  // column named by Learn() or Restore(), and none before.
  const Columns& outputs() const { return names_.outputs; }
  virtual bool learns_outputs() const { return false; }
  // The positions of the inputs that output `i` is made from, at least one.
  virtual std::vector<size_t> inputs_of(size_t i) const { return {i}; }
  // float64 by default.
  virtual std::shared_ptr<arrow::DataType> output_type(size_t i) const;
  // Whether outputs are int64 indices 0 .. cardinality-1, as embeddings need them. Only such
  // columns may be `categorical` inputs of an estimator.
  virtual bool makes_indices() const { return false; }
  // Whether outputs are ids, texts or whole numbers of any value, for a net that has a row for each
  // (tensor/id_tables.h). They may be `categorical` inputs, too.
  virtual bool makes_ids() const { return false; }
  // The number of indices of output `i`, including those of unseen and missing values. Known after
  // the stage has learned; 0 before, and for outputs that are not indices.
  virtual int64_t cardinality(size_t i) const { return 0; }

  // Returns a TypeError for an input type that the stage cannot take; its message says what the
  // type must be. By default only numbers are allowed.
  virtual Status CheckType(const arrow::DataType& type) const;

  // The same for input `i`, for a stage that reads several kinds of columns.
  virtual Status CheckInput(size_t i, const arrow::DataType& type) const { return CheckType(type); }
  // The length of each list of output `i`; 0 if it is no list. Known before learning, since nets
  // are built for it.
  virtual int64_t output_length(size_t i) const { return 0; }
  // Called once when the stage is placed, after the checks above, for a stage whose outputs depend
  // on more than its options: it may call SetOutputs() here. Fails with Exit::kUsage.
  virtual Status SeeInputs(std::span<const StageColumn> inputs, const Analyze& analyze) {
    return Status::OK();
  }

  // Numeric columns of the table that are read only in learning, such as a label. The placer
  // refuses one that an input is made from, and saved models do not require them.
  virtual Columns learns_from() const { return {}; }
  // The number of parts that the training rows are cut into, by a hash of each row, for a stage
  // whose outputs for a row must not depend on that row itself (out of fold); 0: none. The number
  // of a row's part, from 0, is the int64 column PartColumn(parts()), which only rows used for
  // learning have.
  virtual int64_t parts() const { return 0; }

  // The stage itself, if workers apply it (batch_stage.h).
  virtual const BatchStage* batches() const { return nullptr; }

  // The stage itself, if it reads earlier rows of a row's group (history_stage.h).
  virtual const HistoryStage* history() const { return nullptr; }

  // Set if an output is exactly (x - mean) / deviation of input `i` in double, where NULL and NaN
  // stay: it may then be computed elsewhere. Only after learning.
  struct Scale {
    double mean = 0;
    double deviation = 1;
  };
  virtual std::optional<Scale> scale(size_t i) const { return std::nullopt; }

  // What one pass over the training rows must find out. May be empty. The same on every call.
  virtual std::vector<Need> Needs() const = 0;
  // Takes the states of Needs(), in that order. Fails with Exit::kInput for data that the stage
  // cannot learn from.
  virtual Status Learn(std::span<const State> states) = 0;
  // What was learned in another way than the options suggest, one sentence each, for people. Only
  // after Learn().
  virtual std::vector<std::string> notes() const { return {}; }
  // The state that a pass over output `i` would find, bit for bit, if the stage can derive it from
  // its own states: this saves the next level its pass. Only after Learn(); a stage filled by
  // Restore() has no states.
  virtual std::optional<State> OutputState(size_t i, StateKind kind) const { return std::nullopt; }
  // What was learned: a list with one entry per input, {"input", ...}, as in stages.json; empty for
  // a stage that learns nothing.
  virtual Json learned() const = 0;
  // Takes what learned() returned. JSON that does not fit the stage is a fault, since it comes from
  // a file.
  virtual Status Restore(const Json& learned) = 0;

  // Projects `rows`, whose columns are `columns`, to `columns` followed by the outputs. The stage
  // must have learned. Values are computed by the engine, in double, so the expressions may only
  // use functions whose results are the same on every engine (plan/functions.h). What no expression
  // can compute is a BatchStage (batch_stage.h), which workers apply.
  virtual Plan Apply(Plan rows, const Columns& columns) const = 0;
  // The same for rows that later stages and the net learn from: training and validation rows.
  virtual Plan ApplyToLearned(Plan rows, const Columns& columns) const {
    return Apply(std::move(rows), columns);
  }

 protected:
  // One need of this kind for each input, in order.
  std::vector<Need> NeedsOfInputs(StateKind kind) const;
  // Refuses an input that is NULL in all training rows.
  Status CheckSomeValue(int64_t values, const std::string& input) const;
  const StageNames& names() const { return names_; }
  void SetOutputs(Columns outputs) { names_.outputs = std::move(outputs); }

 private:
  StageNames names_;
};

// The name of the column that holds a row's part, see Stage::parts().
inline std::string PartColumn(int64_t parts) { return "__part_of_" + std::to_string(parts); }

// A projection to `columns`, as they are, followed by `added`.
Plan WithColumns(Plan rows, const Columns& columns, std::vector<NamedExpr> added);

// OK for integers, floats, decimals and booleans.
Status CheckNumeric(const arrow::DataType& type);
// OK for text, integers and booleans: what TextCounts can count and a Lookup can find.
Status CheckCategories(const arrow::DataType& type);

// OK for dates, timestamps and whole numbers: what rows can be ordered by in time.
Status CheckTime(const arrow::DataType& type);
// OK for booleans.
Status CheckFlag(const arrow::DataType& type);

// Results of a Lookup that mark a row to be refused, since a Lookup itself cannot fail for a single
// row. Negative, so they are never an index.
inline constexpr int64_t kForbiddenUnseen = -1, kForbiddenMissing = -2;
// Returns the value of the column `index`; evaluating it for a row marked as above fails the query
// with a message that names `column`, by the function error(), the only way to make an expression
// fail on purpose.
Expr AllowedIndex(const std::string& index, const std::string& column);

// Refuses (Exit::kInput) a column with NULLs in the training rows, for stages whose option
// `missing` is "error".
Status CheckMissing(int64_t missing, const std::string& column, const std::string& fix);

// Refuses (Exit::kInput) a column if `finite` is false: something learned from it, such as a
// deviation or a range, overflowed a double.
Status CheckSpread(bool finite, const std::string& column);

// Reads one entry per input from `learned` and checks that the column names match the stage's:
// stages.json could belong to another pipeline.
template <class Entry>
Result<std::vector<Entry>> ReadLearned(const Json& learned, const StageNames& names) {
  std::vector<Entry> entries;
  PT_TRY(FieldsFromJson(learned, names.id, entries));
  bool same = entries.size() == names.inputs.size();
  for (size_t i = 0; same && i < entries.size(); ++i) {
    same = entries[i].input == names.inputs[i];
    if constexpr (requires { entries[i].output; }) {
      same = same && entries[i].output == names.outputs[i];
    }
  }
  if (same) return entries;
  return Fail({.exit = Exit::kInput,
               .what = "the learned state of stage \"" + names.id + "\" does not fit its inputs"});
}

}  // namespace protium
