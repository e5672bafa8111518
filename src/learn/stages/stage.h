// SPDX-License-Identifier: Apache-2.0
// A stage learns from columns in one pass and then adds columns. To add a kind: a file with its
// options, its Stage and its row, and that row's line in catalogue.cc.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "learn/options.h"
#include "learn/stages/state.h"
#include "plan/node.h"

namespace protium {

// A column as the stages of a pipeline see it.
struct StageColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  int32_t maker = -1;  // The stage that made it; -1: the table has it.
};

// Names, in concrete columns, that a stage is made with.
struct StageNames {
  std::string id;
  Columns inputs;
  Columns outputs;  // Empty where the stage learns them.
};

class Stage {
 public:
  explicit Stage(StageNames names) : names_(std::move(names)) {}
  virtual ~Stage() = default;
  const std::string& id() const { return names_.id; }
  const Columns& inputs() const { return names_.inputs; }

  // The columns that it makes: one for each input, unless it learns which. Such a stage names them
  // in Learn() and in Restore(), at least one; before, there are none.
  const Columns& outputs() const { return names_.outputs; }
  virtual bool learns_outputs() const { return false; }
  // The input that output `i` is made from.
  virtual size_t input_of(size_t i) const { return i; }
  virtual std::shared_ptr<arrow::DataType> output_type(size_t i) const;
  // Whether outputs are whole numbers 0 .. cardinality-1, as an embedding wants them.
  virtual bool makes_indices() const { return false; }
  virtual int64_t cardinality(size_t i) const { return 0; }

  // Fails for an input of a type that the stage cannot take; `message` gets why. Numbers, and
  // doubles made of them, unless a stage says otherwise.
  virtual Status CheckType(const arrow::DataType& type) const;

  // What one pass over the training rows must find out; may be nothing.
  virtual std::vector<Need> Needs() const = 0;
  // Takes the states of Needs(), in that order.
  virtual Status Learn(std::span<const State> states) = 0;
  // What a pass over output `i` would find out, bit for bit, where the stage knows it from what it
  // learned without one. Not after Restore().
  virtual std::optional<State> OutputState(size_t i, StateKind kind) const { return std::nullopt; }
  // A list with an entry per input: {"input", ...}.
  virtual Json learned() const = 0;
  // Takes what learned() gave; damaged JSON is an error.
  virtual Status Restore(const Json& learned) = 0;

  // Adds the outputs to `rows`, whose columns are `columns`.
  virtual Plan Apply(Plan rows, const Columns& columns) const = 0;

 protected:
  // One need of this kind for each input, in their order.
  std::vector<Need> NeedsOfInputs(StateKind kind) const;
  // Refuses an input of which the training rows have no value.
  Status CheckSomeValue(int64_t values, const std::string& input) const;
  const StageNames& names() const { return names_; }
  void SetOutputs(Columns outputs) { names_.outputs = std::move(outputs); }

 private:
  StageNames names_;
};

// All of `columns` and the `added`.
Plan WithColumns(Plan rows, const Columns& columns, std::vector<NamedExpr> added);

// OK for integers, floats, decimals and booleans.
Status CheckNumeric(const arrow::DataType& type);
// OK for text, integers and booleans: what TextCounts counts and a Lookup finds.
Status CheckCategories(const arrow::DataType& type);

// Indices of a Lookup that stand for rows which a policy forbids.
inline constexpr int64_t kForbiddenUnseen = -1, kForbiddenMissing = -2;
// The index in the column `index`; a row that is forbidden fails with the name of `column`.
Expr AllowedIndex(const std::string& index, const std::string& column);

// Why a column cannot be learned from whose NULLs the option `missing` forbids; OK without any.
Status CheckMissing(int64_t missing, const std::string& column, const std::string& fix);

// Refuses a column whose numbers lie so far apart that doubles cannot tell how far.
Status CheckSpread(bool finite, const std::string& column);

// Reads an entry per input from `learned` and checks that names agree.
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
               .what = "what stage \"" + names.id + "\" learned does not fit its inputs"});
}

}  // namespace protium
