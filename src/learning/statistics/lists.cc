// SPDX-License-Identifier: Apache-2.0
#include "statistics/lists.h"

#include <arrow/api.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "column/decimals.h"
#include "column/lists.h"
#include "column/visit.h"

namespace protium {
namespace {

// The elements of all lists, including those outside of a slice.
Result<std::shared_ptr<arrow::Array>> ElementsOf(const arrow::Array& column) {
  if (IsList(*column.type())) return arrow::MakeArray(column.data()->child_data[0]);
  return Status::TypeError("a column of lists is needed, not of ", TypeText(*column.type()));
}

std::vector<double> Decimals(const arrow::Array& values) {
  const auto& array = static_cast<const arrow::Decimal128Array&>(values);
  std::vector<double> numbers(size_t(array.length()), std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) numbers[size_t(i)] = NearestDouble(array, i);
  }
  return numbers;
}

template <class Array>
std::vector<double> Numbers(const Array& array) {
  std::vector<double> numbers(size_t(array.length()), std::numeric_limits<double>::quiet_NaN());
  const bool whole = array.null_count() == 0;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (whole || array.IsValid(i)) numbers[size_t(i)] = static_cast<double>(array.Value(i));
  }
  return numbers;
}

Result<std::vector<double>> NumbersOf(const arrow::Array& values) {
  if (values.type_id() == arrow::Type::DECIMAL128) return Decimals(values);
  std::vector<double> numbers;
  const auto read = [&](const auto& array) { numbers = Numbers(array); };
  if (VisitReals(values, read) || VisitWholes(values, read) || VisitUnsigned(values, read)) {
    return numbers;
  }
  return Status::TypeError("lists of numbers are needed, not of ", TypeText(*values.type()));
}

template <class Builder, class Number>
Result<std::shared_ptr<arrow::Array>> Lists(const std::vector<Number>& numbers, int64_t length,
                                            const std::vector<bool>& valid) {
  const auto values = std::make_shared<Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  // Without elements only `valid` gives the number of lists.
  const size_t rows = valid.empty() && length > 0 ? numbers.size() / size_t(length) : valid.size();
  PT_TRY(values->Reserve(int64_t(numbers.size())));
  for (size_t row = 0; row < rows; ++row) {
    if (!valid.empty() && !valid[row]) {
      // Its positions in `numbers` are skipped.
      PT_TRY(lists.AppendNull());
      continue;
    }
    PT_TRY(lists.Append());
    PT_TRY(values->AppendValues(numbers.data() + row * size_t(length), length));
  }
  return lists.Finish();
}

}  // namespace

Result<NumberLists> NumberLists::Of(const arrow::Array& column) {
  PT_LET(const auto values, ElementsOf(column));
  NumberLists lists;
  // A column that was sliced still has the elements of all rows.
  int64_t first = values->length(), last = 0;
  for (int64_t row = 0; row < column.length(); ++row) {
    const ListCell cell = ListAt(*column.data(), row);
    lists.begins_.push_back(cell.valid ? cell.begin : -1);
    lists.lengths_.push_back(cell.length);
    if (!cell.valid || cell.length == 0) continue;
    first = std::min(first, cell.begin);
    last = std::max(last, cell.begin + cell.length);
  }
  first = std::min(first, last);
  PT_LET(lists.numbers_, NumbersOf(*values->Slice(first, last - first)));
  for (int64_t& begin : lists.begins_) begin = begin < 0 ? -1 : std::max<int64_t>(begin - first, 0);
  return lists;
}

std::span<const double> NumberLists::At(int64_t row) const {
  if (IsNull(row)) return {};
  return std::span(numbers_).subspan(size_t(begins_[size_t(row)]), size_t(lengths_[size_t(row)]));
}

Result<TokenLists> TokenLists::Of(const arrow::Array& column) {
  PT_LET(const auto values, ElementsOf(column));
  if (values->type_id() != arrow::Type::STRING) {
    return Status::TypeError("lists of texts are needed, not of ", TypeText(*values->type()));
  }
  // Views of it point into the buffers of the column, which outlives `values`.
  const auto& texts = static_cast<const arrow::StringArray&>(*values);
  TokenLists lists;
  for (int64_t row = 0; row < column.length(); ++row) {
    const ListCell cell = ListAt(*column.data(), row);
    for (int64_t i = cell.begin; i < cell.begin + cell.length; ++i) {
      if (texts.IsValid(i)) lists.tokens_.push_back(texts.GetView(i));
    }
    lists.begins_.push_back(lists.tokens_.size());
  }
  return lists;
}

std::span<const std::string_view> TokenLists::At(int64_t row) const {
  const size_t begin = begins_[size_t(row)];
  return std::span(tokens_).subspan(begin, begins_[size_t(row) + 1] - begin);
}

bool IsNumberList(const arrow::DataType& type) {
  if (!IsList(type)) return false;
  const auto item = type.field(0)->type()->id();
  return arrow::is_integer(item) || item == arrow::Type::FLOAT || item == arrow::Type::DOUBLE ||
         item == arrow::Type::DECIMAL128 || item == arrow::Type::BOOL;
}

bool IsTokenList(const arrow::DataType& type) {
  return IsList(type) && type.field(0)->type()->id() == arrow::Type::STRING;
}

Status CheckNumbers(const arrow::DataType& type) {
  return IsNumberList(type) ? Status::OK() : Status::TypeError("lists of numbers");
}

Status CheckTokens(const arrow::DataType& type) {
  return IsTokenList(type) ? Status::OK() : Status::TypeError("lists of texts");
}

Status CheckLength(const NumberLists& lists, int64_t row, int64_t length,
                   const std::string& column) {
  const auto here = int64_t(lists.At(row).size());
  if (lists.IsNull(row) || here == length) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "column \"" + column + "\" has a list of " + std::to_string(here) +
                       " numbers, where " + std::to_string(length) + " are needed"});
}

Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<double>& numbers, int64_t length,
                                                const std::vector<bool>& valid) {
  return Lists<arrow::DoubleBuilder>(numbers, length, valid);
}

Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<float>& numbers, int64_t length,
                                                const std::vector<bool>& valid) {
  return Lists<arrow::FloatBuilder>(numbers, length, valid);
}

Result<std::shared_ptr<arrow::Array>> MakeLists(const std::vector<int64_t>& numbers, int64_t length,
                                                const std::vector<bool>& valid) {
  return Lists<arrow::Int64Builder>(numbers, length, valid);
}

}  // namespace protium
