// SPDX-License-Identifier: Apache-2.0
#include "statistics/lists.h"

#include <arrow/api.h>

#include <limits>
#include <utility>

#include "base/fault.h"
#include "column/decimals.h"

namespace protium {
namespace {

// The elements that a row's list has among all values of its column.
struct Range {
  int64_t begin = -1;  // -1: NULL.
  int64_t length = 0;
};

struct Ranges {
  std::vector<Range> rows;
  std::shared_ptr<arrow::Array> values;
};

template <class ListArray>
Ranges RangesOf(const arrow::Array& column) {
  const auto& lists = static_cast<const ListArray&>(column);
  // All elements, also those outside of a slice: value_offset() counts from their begin.
  Ranges ranges{.values = lists.values()};
  for (int64_t row = 0; row < lists.length(); ++row) {
    ranges.rows.push_back(lists.IsNull(row) ? Range()
                                            : Range{int64_t(lists.value_offset(row)),
                                                    int64_t(lists.value_length(row))});
  }
  return ranges;
}

Result<Ranges> RangesOf(const arrow::Array& column) {
  switch (column.type_id()) {
    case arrow::Type::LIST:
      return RangesOf<arrow::ListArray>(column);
    case arrow::Type::LARGE_LIST:
      return RangesOf<arrow::LargeListArray>(column);
    case arrow::Type::FIXED_SIZE_LIST:
      return RangesOf<arrow::FixedSizeListArray>(column);
    default:
      return Status::TypeError("a column of lists is needed, not of ", column.type()->ToString());
  }
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
std::vector<double> Numbers(const arrow::Array& values) {
  const auto& array = static_cast<const Array&>(values);
  std::vector<double> numbers(size_t(array.length()), std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) numbers[size_t(i)] = static_cast<double>(array.Value(i));
  }
  return numbers;
}

Result<std::vector<double>> NumbersOf(const arrow::Array& values) {
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      return Numbers<arrow::BooleanArray>(values);
    case arrow::Type::INT8:
      return Numbers<arrow::Int8Array>(values);
    case arrow::Type::INT16:
      return Numbers<arrow::Int16Array>(values);
    case arrow::Type::INT32:
      return Numbers<arrow::Int32Array>(values);
    case arrow::Type::INT64:
      return Numbers<arrow::Int64Array>(values);
    case arrow::Type::UINT8:
      return Numbers<arrow::UInt8Array>(values);
    case arrow::Type::UINT16:
      return Numbers<arrow::UInt16Array>(values);
    case arrow::Type::UINT32:
      return Numbers<arrow::UInt32Array>(values);
    case arrow::Type::UINT64:
      return Numbers<arrow::UInt64Array>(values);
    case arrow::Type::FLOAT:
      return Numbers<arrow::FloatArray>(values);
    case arrow::Type::DOUBLE:
      return Numbers<arrow::DoubleArray>(values);
    case arrow::Type::DECIMAL128:
      return Decimals(values);
    default:
      return Status::TypeError("lists of numbers are needed, not of ", values.type()->ToString());
  }
}

bool IsList(const arrow::DataType& type) {
  const auto id = type.id();
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST ||
         id == arrow::Type::FIXED_SIZE_LIST;
}

template <class Builder, class Number>
Result<std::shared_ptr<arrow::Array>> Lists(const std::vector<Number>& numbers, int64_t length,
                                            const std::vector<bool>& valid) {
  const auto values = std::make_shared<Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  // Lists without elements are counted by `valid` alone.
  const size_t rows = valid.empty() && length > 0 ? numbers.size() / size_t(length) : valid.size();
  PT_TRY(values->Reserve(int64_t(numbers.size())));
  for (size_t row = 0; row < rows; ++row) {
    if (!valid.empty() && !valid[row]) {
      // Its places in `numbers` are passed over.
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
  PT_LET(const Ranges ranges, RangesOf(column));
  NumberLists lists;
  PT_LET(lists.numbers_, NumbersOf(*ranges.values));
  for (const Range& range : ranges.rows) {
    lists.begins_.push_back(range.begin);
    lists.lengths_.push_back(range.length);
  }
  return lists;
}

std::span<const double> NumberLists::At(int64_t row) const {
  if (IsNull(row)) return {};
  return std::span(numbers_).subspan(size_t(begins_[size_t(row)]), size_t(lengths_[size_t(row)]));
}

Result<TokenLists> TokenLists::Of(const arrow::Array& column) {
  PT_LET(const Ranges ranges, RangesOf(column));
  if (ranges.values->type_id() != arrow::Type::STRING) {
    return Status::TypeError("lists of texts are needed, not of ",
                             ranges.values->type()->ToString());
  }
  // Views of it point into the buffers of the column, which outlive `ranges`.
  const auto& texts = static_cast<const arrow::StringArray&>(*ranges.values);
  TokenLists lists;
  for (const Range& range : ranges.rows) {
    for (int64_t i = range.begin; i < range.begin + range.length; ++i) {
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
