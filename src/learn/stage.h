// SPDX-License-Identifier: Apache-2.0
// A stage learns from columns in one pass and then adds columns. To add a kind: its options in
// options.h, a file with its Stage, an alternative of StageOptions, a row in stages.cc.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "learn/options.h"
#include "learn/state.h"
#include "plan/node.h"

namespace protium {

// A column as the stages of a pipeline see it.
struct StageColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  int32_t maker = -1;       // The stage that made it; -1: the table has it.
  int64_t cardinality = 0;  // Of an index, once learned; else 0.
};

// Names, in concrete columns, that a stage is made with.
struct StageNames {
  std::string id;
  Columns inputs;
  Columns outputs;
};

class Stage {
 public:
  explicit Stage(StageNames names) : names_(std::move(names)) {}
  virtual ~Stage() = default;
  const std::string& id() const { return names_.id; }
  const Columns& inputs() const { return names_.inputs; }
  const Columns& outputs() const { return names_.outputs; }
  // Fails for an input of a type that the stage cannot take; `message` gets why. Numbers, and
  // doubles made of them, unless a stage says otherwise.
  virtual Status CheckType(const arrow::DataType& type) const;
  virtual std::shared_ptr<arrow::DataType> output_type() const;

  // What one pass over the training rows must find out; may be nothing.
  virtual std::vector<Need> Needs() const = 0;
  // Takes the states of Needs(), in that order.
  virtual Status Learn(std::span<const State> states) = 0;
  // What a pass over output `i` would find out, bit for bit, where the stage knows it from what it
  // learned without one. Not after Restore().
  virtual std::optional<State> OutputState(size_t i, StateKind kind) const { return std::nullopt; }
  // A list with an entry per input: {"input", "output", ...}.
  virtual Json learned() const = 0;
  // Takes what learned() gave; damaged JSON is an error.
  virtual Status Restore(const Json& learned) = 0;
  // Values 0 .. cardinality-1 of output `i` if it is an index, else 0.
  virtual int64_t cardinality(size_t i) const { return 0; }

  // Adds the outputs to `rows`, whose columns are `columns`.
  virtual Plan Apply(Plan rows, const Columns& columns) const = 0;

 protected:
  const StageNames& names() const { return names_; }

 private:
  StageNames names_;
};

std::unique_ptr<Stage> MakeStage(const StringIndexerOptions& options, StageNames names);
std::unique_ptr<Stage> MakeStage(const ImputerOptions& options, StageNames names);
std::unique_ptr<Stage> MakeStage(const StandardScalerOptions& options, StageNames names);

// All of `columns` and the `added`.
Plan WithColumns(Plan rows, const Columns& columns, std::vector<NamedExpr> added);

// OK for integers, floats, decimals and booleans.
Status CheckNumeric(const arrow::DataType& type);

// Reads an entry per input from `learned` and checks that names agree.
template <class Entry>
Result<std::vector<Entry>> ReadLearned(const Json& learned, const StageNames& names) {
  std::vector<Entry> entries;
  PT_TRY(FieldsFromJson(learned, names.id, entries));
  bool same = entries.size() == names.inputs.size();
  for (size_t i = 0; same && i < entries.size(); ++i) {
    same = entries[i].input == names.inputs[i] && entries[i].output == names.outputs[i];
  }
  if (same) return entries;
  return Fail({.exit = Exit::kInput,
               .what = "what stage \"" + names.id + "\" learned does not fit its inputs"});
}

}  // namespace protium
