// SPDX-License-Identifier: Apache-2.0
#include "inference/json_values.h"

#include <arrow/api.h>

#include <cmath>
#include <limits>
#include <optional>

#include "inference/json_text.h"

namespace protium {
namespace {

using Kind = JsonCursor::Kind;

template <class Builder>
bool ReadWhole(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  using Limits = std::numeric_limits<typename Builder::value_type>;
  const auto number = cursor.TakeNumber();
  const auto whole = number ? WholeValue(*number) : std::nullopt;
  if (!whole || *whole < Limits::min() || *whole > Limits::max()) return false;
  return static_cast<Builder&>(builder).Append(typename Builder::value_type(*whole)).ok();
}

template <class Builder>
bool ReadReal(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  using Value = typename Builder::value_type;
  const auto number = cursor.TakeNumber();
  const auto real = number ? RealValue(*number) : std::nullopt;
  // A finite number must not become infinite.
  if (!real || std::isinf(Value(*real))) return false;
  return static_cast<Builder&>(builder).Append(Value(*real)).ok();
}

bool ReadFlag(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  const auto flag = cursor.TakeFlag();
  return flag && static_cast<arrow::BooleanBuilder&>(builder).Append(*flag).ok();
}

bool ReadText(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  const auto text = cursor.TakeText();
  return text && static_cast<arrow::StringBuilder&>(builder).Append(*text).ok();
}

// Reads values written as strings: dates, times, decimals.
bool ReadParsed(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  const auto text = cursor.TakeText();
  if (!text) return false;
  // In Arrow's format, such as 2024-01-31 and 2024-01-31 08:15:00.
  const auto parsed = arrow::Scalar::Parse(builder.type(), *text);
  return parsed.ok() && builder.AppendScalar(**parsed).ok();
}

bool ReadList(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  if (!cursor.Enter() || !list.Append().ok()) return false;
  while (cursor.NextItem()) {
    if (!ReadValue(cursor, *list.value_builder())) return false;
  }
  return !cursor.broken();
}

bool ReadNumber(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  switch (builder.type()->id()) {
    case arrow::Type::INT8:
      return ReadWhole<arrow::Int8Builder>(cursor, builder);
    case arrow::Type::INT16:
      return ReadWhole<arrow::Int16Builder>(cursor, builder);
    case arrow::Type::INT32:
      return ReadWhole<arrow::Int32Builder>(cursor, builder);
    case arrow::Type::INT64:
      return ReadWhole<arrow::Int64Builder>(cursor, builder);
    case arrow::Type::UINT8:
      return ReadWhole<arrow::UInt8Builder>(cursor, builder);
    case arrow::Type::UINT16:
      return ReadWhole<arrow::UInt16Builder>(cursor, builder);
    case arrow::Type::UINT32:
      return ReadWhole<arrow::UInt32Builder>(cursor, builder);
    case arrow::Type::FLOAT:
      return ReadReal<arrow::FloatBuilder>(cursor, builder);
    case arrow::Type::DOUBLE:
      return ReadReal<arrow::DoubleBuilder>(cursor, builder);
    default:
      return false;
  }
}

bool IsParsed(arrow::Type::type type) {
  return type != arrow::Type::BOOL && type != arrow::Type::LIST && type != arrow::Type::FLOAT &&
         type != arrow::Type::DOUBLE && !arrow::is_integer(type);
}

}  // namespace

bool ReadValue(JsonCursor& cursor, arrow::ArrayBuilder& builder) {
  const auto type = builder.type()->id();
  switch (cursor.Peek()) {
    case Kind::kNull:
      return cursor.TakeNull() && builder.AppendNull().ok();
    case Kind::kNumber:
      return ReadNumber(cursor, builder);
    case Kind::kFlag:
      return type == arrow::Type::BOOL && ReadFlag(cursor, builder);
    case Kind::kText:
      if (type == arrow::Type::STRING) return ReadText(cursor, builder);
      return IsParsed(type) && ReadParsed(cursor, builder);
    case Kind::kList:
      return type == arrow::Type::LIST && ReadList(cursor, builder);
    case Kind::kObject:
    case Kind::kNone:
      return false;
  }
  return false;
}

}  // namespace protium
