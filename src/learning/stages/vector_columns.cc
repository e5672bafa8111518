// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Each number of a list as a column of its own, a double, for nets and stages that read numbers.
// Learns nothing. The lists must have a known length; NULL becomes NULL in all columns. Spark ML
// has no such stage; its function vector_to_array does the first half.

namespace protium {
namespace {

constexpr int64_t kMostColumns = 2000;

struct VectorColumnsOptions {
  std::string id;
  Inputs inputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
  }
};

class VectorColumnsStage : public FormulaStage {
 public:
  VectorColumnsStage(const VectorColumnsOptions&, StageNames names)
      : FormulaStage(std::move(names)) {}

  std::vector<size_t> inputs_of(size_t i) const override { return {cells_[i].first}; }
  Status CheckType(const arrow::DataType& type) const override { return CheckNumbers(type); }

  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze&) override {
    cells_.clear();
    Columns outputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int64_t length = inputs[i].length;
      if (length == 0 || int64_t(outputs.size()) + length > kMostColumns) {
        return Fail({.exit = Exit::kUsage,
                     .what = length == 0 ? "the length of the lists in \"" + inputs[i].name +
                                               "\" is not known"
                                         : "the lists would become more than 2000 columns",
                     .where = "inputs",
                     .fix = length == 0 ? "take them from a stage, such as vector_assembler"
                                        : "make them shorter by pca"});
      }
      for (int64_t at = 0; at < length; ++at) {
        cells_.push_back({i, at});
        outputs.push_back(inputs[i].name + "__" + id() + "__" + std::to_string(at));
      }
    }
    SetOutputs(std::move(outputs));
    return Status::OK();
  }

 protected:
  Expr ExprOf(size_t i) const override {
    const auto& [input, at] = cells_[i];
    return MakeCall("cast_double", {MakeCall("element", {Col(inputs()[input]), Lit(at)})});
  }

 private:
  std::vector<std::pair<size_t, int64_t>>
      cells_;  // By output: the input, and the position in its list.
};

}  // namespace

StageRow VectorColumnsRow() {
  return MakeStageRow<VectorColumnsStage, VectorColumnsOptions>(
      "vector_columns", "the numbers of lists as columns: <input>__<id>__0, __1, ...");
}

}  // namespace protium
