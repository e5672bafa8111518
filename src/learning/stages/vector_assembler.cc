// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// Numbers and lists of numbers, one after the other, as one list of doubles. Learns only the
// lengths of its lists. An option decides what happens to NULL and NaN, also within lists; a list
// of another length is always refused.
//
// Spark ML's VectorAssembler does the same; with handleInvalid = "skip" it leaves the row out,
// which no stage does here: "null" makes the whole list NULL.

namespace protium {
namespace {

enum class Invalid { kError, kKeep, kNull };
EnumNames<Invalid> Names(Invalid) {
  return {{{Invalid::kError, "error"}, {Invalid::kKeep, "keep"}, {Invalid::kNull, "null"}}};
}

struct VectorAssemblerOptions {
  std::string id;
  Inputs inputs;
  std::string output;
  Invalid invalid = Invalid::kError;
  std::vector<VectorColumn> lengths;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit("output", output, {.help = "the name of the new column; unless set, the stage's id"});
    visit("invalid", invalid,
          {.help = "rows with NULL or NaN: an error, kept as NaN, or NULL as a whole; Spark's "
                   "handleInvalid"});
    visit("lengths", lengths,
          {.help = "of lists whose type does not tell their length: [{ column, length }]"});
  }
};

// The position of an input in the list; length 0 is a single number.
struct Piece {
  std::string input;
  int64_t length = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("input", input);
    visit("length", length);
  }
};

class VectorAssemblerStage : public BatchStage {
 public:
  VectorAssemblerStage(const VectorAssemblerOptions& options, StageNames names)
      : BatchStage(std::move(names)), options_(options) {
    SetOutputs({options_.output.empty() ? id() : options_.output});
  }

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float64());
  }
  int64_t output_length(size_t) const override {
    int64_t total = 0;
    for (const Piece& piece : pieces_) total += std::max<int64_t>(piece.length, 1);
    return total;
  }
  std::vector<size_t> inputs_of(size_t) const override {
    std::vector<size_t> all;
    for (size_t i = 0; i < inputs().size(); ++i) all.push_back(i);
    return all;
  }
  Status CheckType(const arrow::DataType& type) const override {
    if (IsNumberList(type) || CheckNumeric(type).ok()) return Status::OK();
    return Status::TypeError("numbers or lists of numbers");
  }

  Status SeeInputs(std::span<const StageColumn> inputs, const Analyze&) override {
    pieces_.clear();
    for (const StageColumn& input : inputs) {
      Piece piece{.input = input.name, .length = input.length};
      for (const VectorColumn& each : options_.lengths) {
        if (each.column == input.name) piece.length = each.length;
      }
      if (IsNumberList(*input.type) && piece.length == 0) {
        return Fail({.exit = Exit::kUsage,
                     .what = "the length of the lists in \"" + input.name + "\" is not known",
                     .where = "lengths",
                     .fix = "lengths = [{ column = \"" + input.name + "\", length = 8 }]"});
      }
      pieces_.push_back(std::move(piece));
    }
    return Status::OK();
  }

  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return FieldsToJson(pieces_); }
  Status Restore(const Json& learned) override {
    PT_LET(std::vector<Piece> pieces, ReadLearned<Piece>(learned, {id(), inputs(), inputs()}));
    // In a worker the inputs have not been seen before.
    if (pieces_.empty() || FieldsToJson(pieces) == FieldsToJson(pieces_)) {
      pieces_ = std::move(pieces);
      return Status::OK();
    }
    return Fail({.exit = Exit::kInput,
                 .what = "the lengths of stage \"" + id() + "\" are not those of its inputs"});
  }

  // Integers and decimals become doubles as in all stages on numbers.
  Expr Reads(size_t i) const override {
    return pieces_[i].length > 0 ? Col(inputs()[i]) : NumberOf(inputs()[i]);
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const override {
    const int64_t rows = inputs.front()->length(), length = output_length(0);
    std::vector<double> all(size_t(rows * length), std::numeric_limits<double>::quiet_NaN());
    std::vector<bool> valid(size_t(rows), true);
    int64_t at = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::span<double> mine = std::span(all).subspan(size_t(at));
      PT_TRY(pieces_[i].length > 0 ? CopyLists(*inputs[i], pieces_[i], length, mine)
                                   : CopyNumbers(*inputs[i], length, mine));
      const int64_t taken = std::max<int64_t>(pieces_[i].length, 1);
      PT_TRY(CheckInvalid(pieces_[i], at, length, all, valid));
      at += taken;
    }
    PT_LET(auto list, MakeLists(all, length, valid));
    return arrow::ArrayVector{std::move(list)};
  }

 private:
  // These write to the piece's position in each row, `length` apart; missing numbers stay NaN.
  static Status CopyNumbers(const arrow::Array& column, int64_t length, std::span<double> to) {
    if (column.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers as doubles");
    const auto& numbers = static_cast<const arrow::DoubleArray&>(column);
    for (int64_t row = 0; row < numbers.length(); ++row) {
      if (numbers.IsValid(row)) to[size_t(row * length)] = numbers.Value(row);
    }
    return Status::OK();
  }

  static Status CopyLists(const arrow::Array& column, const Piece& piece, int64_t length,
                          std::span<double> to) {
    PT_LET(const NumberLists lists, NumberLists::Of(column));
    for (int64_t row = 0; row < lists.rows(); ++row) {
      PT_TRY(CheckLength(lists, row, piece.length, piece.input));
      const auto list = lists.At(row);
      std::copy(list.begin(), list.end(), to.begin() + row * length);
    }
    return Status::OK();
  }

  Status CheckInvalid(const Piece& piece, int64_t at, int64_t length,
                      const std::vector<double>& all, std::vector<bool>& valid) const {
    if (options_.invalid == Invalid::kKeep) return Status::OK();
    const int64_t taken = std::max<int64_t>(piece.length, 1);
    for (size_t row = 0; row < valid.size(); ++row) {
      const auto first = all.begin() + int64_t(row) * length + at;
      if (std::none_of(first, first + taken, [](double x) { return std::isnan(x); })) continue;
      if (options_.invalid == Invalid::kError) {
        return Fail({.exit = Exit::kInput,
                     .what = "column \"" + piece.input + "\" has a NULL or NaN",
                     .fix = "fill it by an imputer, or set invalid = \"keep\" or \"null\" in \"" +
                            id() + "\""});
      }
      valid[row] = false;
    }
    return Status::OK();
  }

  VectorAssemblerOptions options_;
  std::vector<Piece> pieces_;  // One per input.
};

}  // namespace

StageRow VectorAssemblerRow() {
  return MakeStageRow<VectorAssemblerStage, VectorAssemblerOptions>(
      "vector_assembler", "joins numbers and lists of numbers into one list");
}

}  // namespace protium
