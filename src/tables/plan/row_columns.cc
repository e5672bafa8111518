// SPDX-License-Identifier: Apache-2.0
#include "plan/row_columns.h"

#include <arrow/api.h>

#include <algorithm>
#include <cmath>

#include "column/lists.h"
#include "column/visit.h"

namespace protium {
namespace {

using Kind = RowValues::Kind;

// Decimals with at most this many digits are whole numbers below 2^53 divided by a power of ten
// that is a double, too: one rounding, the same for every engine. How engines divide larger ones
// differs.
constexpr int32_t kMostDigits = 15;

// Rows of NULL also have a value, without a meaning: value i belongs to row i.
template <class Array, class Value, class Make>
void Copy(const Array& array, std::vector<Value>& values, const Make& make) {
  values.resize(size_t(array.length()));
  if (array.null_count() == 0) {  // Most columns: a loop without branches.
    for (int64_t i = 0; i < array.length(); ++i) values[size_t(i)] = make(array.Value(i));
    return;
  }
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) values[size_t(i)] = make(array.Value(i));
  }
}

constexpr auto kAsDouble = [](auto value) { return static_cast<double>(value); };

// Returns the microseconds of a unit; nullopt for nanoseconds, which engines do not have.
std::optional<int64_t> MicrosOf(const arrow::DataType& type) {
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 1'000'000;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1;
    default:
      return std::nullopt;
  }
}

void CopyDecimals(const arrow::Array& column, std::vector<double>& values) {
  const auto& type = static_cast<const arrow::Decimal128Type&>(*column.type());
  const auto& array = static_cast<const arrow::Decimal128Array&>(column);
  // Exact: scales of up to 15 digits were checked (KindOfType).
  double divisor = 1;
  for (int32_t i = 0; i < type.scale(); ++i) divisor *= 10;
  values.resize(size_t(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    const arrow::Decimal128 value(array.GetValue(i));
    // So few digits fit the low half of the 128 bits, which then is the number, including its sign.
    values[size_t(i)] = static_cast<double>(int64_t(value.low_bits())) / divisor;
  }
}

void CopyDoubles(const arrow::Array& column, std::vector<double>& values) {
  if (column.type_id() == arrow::Type::DECIMAL128) return CopyDecimals(column, values);
  VisitReals(column, [&](const auto& array) { Copy(array, values, kAsDouble); });
}

void CopyWholes(const arrow::Array& column, std::vector<int64_t>& values) {
  const auto copy = [&](const auto& array) {
    Copy(array, values, [](auto value) { return static_cast<int64_t>(value); });
  };
  if (VisitWholes(column, copy) || VisitAs<arrow::Date32Array>(column, copy)) return;
  const int64_t micros = *MicrosOf(*column.type());
  Copy(static_cast<const arrow::TimestampArray&>(column), values, [micros](int64_t value) {
    // Beyond the years that engines have, the last one that there is.
    const int64_t most = INT64_MAX / micros;
    return std::clamp(value, -most, most) * micros;
  });
}

// The type must be one that IsItem() accepts. Whole numbers beyond 2^53 are rounded to a double.
double ItemAt(const arrow::Array& items, int64_t at) {
  double number = 0;
  const auto read = [&](const auto& array) { number = static_cast<double>(array.Value(at)); };
  if (!VisitReals(items, read)) VisitWholes(items, read);
  return number;
}

bool IsItem(const arrow::DataType& type) {
  return type.id() == arrow::Type::BOOL || type.id() == arrow::Type::FLOAT ||
         type.id() == arrow::Type::DOUBLE || arrow::is_signed_integer(type.id());
}

template <class Builder, class Value>
Result<std::shared_ptr<arrow::Array>> Built(const std::vector<uint8_t>& valid, const Value& value) {
  Builder builder;
  PT_TRY(builder.Reserve(int64_t(valid.size())));
  for (size_t i = 0; i < valid.size(); ++i) {
    PT_TRY(valid[i] != 0 ? builder.Append(value(i)) : builder.AppendNull());
  }
  return builder.Finish();
}

// Numbers: without NULL all at once.
template <class Builder, class Value>
Result<std::shared_ptr<arrow::Array>> BuiltNumbers(const std::vector<uint8_t>& valid,
                                                   const std::vector<Value>& values) {
  if (std::ranges::find(valid, 0) != valid.end()) {
    return Built<Builder>(valid, [&](size_t i) { return values[i]; });
  }
  Builder builder;
  PT_TRY(builder.AppendValues(values));
  return builder.Finish();
}

}  // namespace

std::optional<Kind> KindOfType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Kind::kFlag;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return Kind::kWhole;
    case arrow::Type::DOUBLE:
      return Kind::kDouble;
    case arrow::Type::FLOAT:
      return Kind::kNumber;
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      if (decimal.precision() > kMostDigits || decimal.scale() < 0) return std::nullopt;
      return Kind::kNumber;
    }
    case arrow::Type::STRING:
      return Kind::kText;
    case arrow::Type::DATE32:
      return Kind::kDay;
    case arrow::Type::TIMESTAMP:
      return MicrosOf(type) ? std::optional(Kind::kTime) : std::nullopt;
    default:
      return std::nullopt;
  }
}

RowValues ValuesOf(const arrow::Array& column) {
  const auto kind = KindOfType(*column.type());
  PT_CHECK(kind.has_value());
  RowValues values{.kind = *kind};
  values.valid.assign(size_t(column.length()), 1);
  if (column.null_count() > 0) {
    for (size_t i = 0; i < values.valid.size(); ++i) {
      values.valid[i] = column.IsValid(int64_t(i)) ? 1 : 0;
    }
  }
  switch (values.kind) {
    case Kind::kDouble:
    case Kind::kNumber:
      CopyDoubles(column, values.doubles);
      break;
    case Kind::kText: {
      const auto& texts = static_cast<const arrow::StringArray&>(column);
      for (int64_t i = 0; i < texts.length(); ++i) values.texts.emplace_back(texts.GetView(i));
      break;
    }
    default:
      CopyWholes(column, values.wholes);
      break;
  }
  return values;
}

RowValues NullsOf(Kind kind, size_t rows) {
  RowValues values{.kind = kind};
  values.valid.assign(rows, 0);
  if (kind == Kind::kDouble || kind == Kind::kNumber) {
    values.doubles.resize(rows);
  } else if (kind == Kind::kText) {
    values.texts.resize(rows);
  } else {
    values.wholes.resize(rows);
  }
  return values;
}

bool HasNumbers(const arrow::DataType& type) {
  return IsList(type) && IsItem(*type.field(0)->type());
}

RowValues ElementsOf(const arrow::Array& lists, int64_t place) {
  const auto items = arrow::MakeArray(lists.data()->child_data[0]);
  RowValues values = NullsOf(Kind::kNumber, size_t(lists.length()));
  for (int64_t row = 0; row < lists.length(); ++row) {
    const ListCell cell = ListAt(*lists.data(), row);
    if (place >= cell.length || items->IsNull(cell.begin + place)) continue;
    values.valid[size_t(row)] = 1;
    values.doubles[size_t(row)] = ItemAt(*items, cell.begin + place);
  }
  return values;
}

// These two are declared in row_values.h. They get values of a whole expression, for which
// InferKind() returns only the four kinds of ToArrowType(); so the remaining one in ToArray() is
// kFlag.
Result<std::shared_ptr<arrow::Array>> ToArray(const RowValues& values) {
  switch (values.kind) {
    case Kind::kDouble:
      return BuiltNumbers<arrow::DoubleBuilder>(values.valid, values.doubles);
    case Kind::kWhole:
      return BuiltNumbers<arrow::Int64Builder>(values.valid, values.wholes);
    case Kind::kText:
      return Built<arrow::StringBuilder>(values.valid, [&](size_t i) { return values.texts[i]; });
    default:
      return Built<arrow::BooleanBuilder>(values.valid,
                                          [&](size_t i) { return values.wholes[i] != 0; });
  }
}

std::shared_ptr<arrow::DataType> ToArrowType(Kind kind) {
  switch (kind) {
    case Kind::kDouble:
      return arrow::float64();
    case Kind::kWhole:
      return arrow::int64();
    case Kind::kFlag:
      return arrow::boolean();
    case Kind::kText:
      return arrow::utf8();
    default:
      return nullptr;
  }
}

}  // namespace protium
