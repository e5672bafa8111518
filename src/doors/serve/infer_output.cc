// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_output.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "base/fault.h"
#include "column/cells.h"
#include "column/lists.h"

namespace protium {
namespace {

// The values of all rows, one after the other.
std::shared_ptr<arrow::Array> ValuesOf(const arrow::Array& column) {
  if (!IsList(*column.type())) return column.Slice(0);
  const auto items = arrow::MakeArray(column.data()->child_data[0]);
  if (column.length() == 0) return items->Slice(0, 0);
  const ListCell first = ListAt(*column.data(), 0);
  const ListCell last = ListAt(*column.data(), column.length() - 1);
  return items->Slice(first.begin, last.begin + last.length - first.begin);
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
  if (!IsList(*field.type())) return shape;
  shape.push_back(column.length() == 0 ? 0 : ListAt(*column.data(), 0).length);
  for (int64_t i = 0; i < column.length(); ++i) {
    const ListCell cell = ListAt(*column.data(), i);
    if (!cell.valid || cell.length != shape[1]) {
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
