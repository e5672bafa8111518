// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_output.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "base/fault.h"
#include "column/cells.h"

namespace protium {
namespace {

bool IsListColumn(const arrow::DataType& type) { return type.id() == arrow::Type::LIST; }

// The values of all rows, one after the other.
std::shared_ptr<arrow::Array> ValuesOf(const arrow::Array& column) {
  if (!IsListColumn(*column.type())) return column.Slice(0);
  const auto& lists = static_cast<const arrow::ListArray&>(column);
  if (lists.length() == 0) return lists.values()->Slice(0, 0);
  const int64_t from = lists.value_offset(0), to = lists.value_offset(lists.length());
  return lists.values()->Slice(from, to - from);
}

void AppendRawText(std::string_view text, std::string& bytes) {
  const auto length = uint32_t(text.size());
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += text;
}

// What JSON writes as a text is that text here.
std::string CellBytes(const arrow::Array& values, int64_t row) {
  if (values.type_id() == arrow::Type::BINARY) {
    return static_cast<const arrow::BinaryArray&>(values).GetString(row);
  }
  const Json cell = CellJson(values, row);
  return cell.is_string() ? cell.get<std::string>() : Dump(cell);
}

template <class Array>
void AppendNumbers(const arrow::Array& values, std::string& bytes) {
  using Value = typename Array::value_type;
  const auto& numbers = static_cast<const Array&>(values);
  for (int64_t i = 0; i < numbers.length(); ++i) {
    const Value value =
        numbers.IsNull(i) ? std::numeric_limits<Value>::quiet_NaN() : numbers.Value(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
}

void AppendRaw(const arrow::Array& values, std::string& bytes) {
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      for (int64_t i = 0; i < values.length(); ++i) {
        bytes += char(static_cast<const arrow::BooleanArray&>(values).Value(i));
      }
      return;
    case arrow::Type::UINT8:
      return AppendNumbers<arrow::UInt8Array>(values, bytes);
    case arrow::Type::UINT16:
      return AppendNumbers<arrow::UInt16Array>(values, bytes);
    case arrow::Type::UINT32:
      return AppendNumbers<arrow::UInt32Array>(values, bytes);
    case arrow::Type::INT8:
      return AppendNumbers<arrow::Int8Array>(values, bytes);
    case arrow::Type::INT16:
      return AppendNumbers<arrow::Int16Array>(values, bytes);
    case arrow::Type::INT32:
      return AppendNumbers<arrow::Int32Array>(values, bytes);
    case arrow::Type::INT64:
      return AppendNumbers<arrow::Int64Array>(values, bytes);
    case arrow::Type::FLOAT:
      return AppendNumbers<arrow::FloatArray>(values, bytes);
    case arrow::Type::DOUBLE:
      return AppendNumbers<arrow::DoubleArray>(values, bytes);
    default:
      for (int64_t i = 0; i < values.length(); ++i) AppendRawText(CellBytes(values, i), bytes);
  }
}

}  // namespace

Result<std::vector<int64_t>> ShapeOf(const arrow::Field& field, const arrow::Array& column) {
  std::vector<int64_t> shape = {column.length()};
  if (!IsListColumn(*field.type())) return shape;
  const auto& lists = static_cast<const arrow::ListArray&>(column);
  shape.push_back(lists.length() == 0 ? 0 : lists.value_length(0));
  for (int64_t i = 0; i < lists.length(); ++i) {
    if (lists.IsNull(i) || lists.value_length(i) != shape[1]) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the lists of \"{}\" differ in length, and are no tensor",
                                       field.name()),
                   .fix = "POST /v1/score returns them"});
    }
  }
  return shape;
}

Result<Json> JsonValues(const arrow::Field& field, const arrow::Array& column) {
  const auto values = ValuesOf(column);
  if (values->type_id() == arrow::Type::BINARY) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("\"{}\" has bytes that JSON cannot hold", field.name()),
                 .fix = "ask for it as \"binary_data\": true"});
  }
  Json list = Json::array();
  for (int64_t i = 0; i < values->length(); ++i) list.push_back(CellJson(*values, i));
  return list;
}

Result<std::string> RawValues(const arrow::Field& field, const arrow::Array& column) {
  const auto values = ValuesOf(column);
  const bool has_nan = arrow::is_floating(values->type_id());
  if (values->null_count() > 0 && !has_nan) {
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("\"{}\" has missing values, which bytes cannot tell", field.name()),
         .fix = "ask for it in JSON: \"binary_data\": false"});
  }
  std::string bytes;
  AppendRaw(*values, bytes);
  return bytes;
}

}  // namespace protium
