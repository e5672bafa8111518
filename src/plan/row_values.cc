// SPDX-License-Identifier: Apache-2.0
#include "plan/row_values.h"

#include <arrow/api.h>

#include <cmath>

namespace protium {
namespace {

using Kind = RowValues::Kind;

std::optional<Kind> KindOfType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Kind::kFlag;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return Kind::kWhole;
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return Kind::kDouble;
    default:
      return std::nullopt;
  }
}

// Whether no row divides by zero, which is an error in engines.
bool IsDivisor(const Expr& expr) {
  const auto* const value = std::get_if<double>(&expr.value);
  return expr.kind == Expr::Kind::kLiteral && value != nullptr && *value != 0;
}

// The kind of a call whose arguments have these.
std::optional<Kind> KindOfCall(const Expr& call, const std::vector<Kind>& kinds) {
  const std::string& name = call.name;
  const auto all = [&](Kind kind) {
    for (const Kind each : kinds) {
      if (each != kind) return false;
    }
    return !kinds.empty();
  };
  if (name == "cast_double") return Kind::kDouble;
  if (name == "nan_to_null") return Kind::kDouble;
  if (name == "is_null" || name == "is_not_null") return Kind::kFlag;
  if (name == "not" && all(Kind::kFlag)) return Kind::kFlag;
  if ((name == "=" || name == ">=") && all(Kind::kWhole)) return Kind::kFlag;
  if ((name == "+" || name == "-" || name == "*") && all(Kind::kDouble)) return Kind::kDouble;
  // Other divisors may be 0 in some row.
  if (name == "/" && all(Kind::kDouble) && IsDivisor(call.arguments[1])) return Kind::kDouble;
  if (name == "coalesce" && all(Kind::kDouble)) return Kind::kDouble;
  if (name == "coalesce" && all(Kind::kWhole)) return Kind::kWhole;
  if (name == "if" && kinds[0] == Kind::kFlag && kinds[1] == kinds[2]) return kinds[1];
  return std::nullopt;
}

template <class Array, class Number>
void Copy(const arrow::Array& column, std::vector<Number>& values) {
  const auto& array = static_cast<const Array&>(column);
  for (int64_t i = 0; i < array.length(); ++i) values[i] = static_cast<Number>(array.Value(i));
}

Result<RowValues> OfColumn(const arrow::Array& column) {
  RowValues values;
  const auto rows = static_cast<size_t>(column.length());
  const auto kind = KindOfType(*column.type());
  PT_CHECK(kind.has_value());
  values.kind = *kind;
  values.valid.resize(rows);
  for (size_t i = 0; i < rows; ++i) values.valid[i] = column.IsValid(int64_t(i)) ? 1 : 0;
  (values.kind == Kind::kDouble ? values.doubles.resize(rows) : values.wholes.resize(rows));
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      Copy<arrow::BooleanArray>(column, values.wholes);
      break;
    case arrow::Type::INT8:
      Copy<arrow::Int8Array>(column, values.wholes);
      break;
    case arrow::Type::INT16:
      Copy<arrow::Int16Array>(column, values.wholes);
      break;
    case arrow::Type::INT32:
      Copy<arrow::Int32Array>(column, values.wholes);
      break;
    case arrow::Type::INT64:
      Copy<arrow::Int64Array>(column, values.wholes);
      break;
    case arrow::Type::FLOAT:
      Copy<arrow::FloatArray>(column, values.doubles);
      break;
    default:
      Copy<arrow::DoubleArray>(column, values.doubles);
      break;
  }
  return values;
}

RowValues OfLiteral(const Literal& literal, size_t rows) {
  RowValues values;
  values.valid.assign(rows, 1);
  if (const auto* flag = std::get_if<bool>(&literal)) {
    values.kind = Kind::kFlag;
    values.wholes.assign(rows, *flag ? 1 : 0);
  } else if (const auto* whole = std::get_if<int64_t>(&literal)) {
    values.kind = Kind::kWhole;
    values.wholes.assign(rows, *whole);
  } else {
    values.doubles.assign(rows, std::get<double>(literal));
  }
  return values;
}

// Exact up to 2^53; beyond, to the nearest double, as casts of engines do.
RowValues ToDoubles(RowValues values) {
  if (values.kind == Kind::kDouble) return values;
  values.kind = Kind::kDouble;
  values.doubles.assign(values.wholes.begin(), values.wholes.end());
  values.wholes.clear();
  return values;
}

RowValues NanToNull(RowValues values) {
  values = ToDoubles(std::move(values));
  for (size_t i = 0; i < values.valid.size(); ++i) {
    if (std::isnan(values.doubles[i])) values.valid[i] = 0;
  }
  return values;
}

// Flags that are never null: whether values are.
RowValues Nulls(const RowValues& values, bool wanted) {
  RowValues flags{.kind = Kind::kFlag};
  for (const uint8_t valid : values.valid) flags.wholes.push_back((valid == 0) == wanted ? 1 : 0);
  flags.valid.assign(values.valid.size(), 1);
  return flags;
}

// NULL with anything is NULL.
RowValues Computed(char op, RowValues a, const RowValues& b) {
  for (size_t i = 0; i < a.valid.size(); ++i) {
    a.valid[i] &= b.valid[i];
    double& x = a.doubles[i];
    const double y = b.doubles[i];
    x = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
  }
  return a;
}

// Of whole numbers alone: engines differ in where NaN stands among doubles.
RowValues Compared(bool equal, RowValues a, const RowValues& b) {
  a.kind = Kind::kFlag;
  for (size_t i = 0; i < a.valid.size(); ++i) {
    a.valid[i] &= b.valid[i];
    a.wholes[i] = (equal ? a.wholes[i] == b.wholes[i] : a.wholes[i] >= b.wholes[i]) ? 1 : 0;
  }
  return a;
}

// Takes over from `more` the rows for which `wanted` says so.
template <class Wanted>
void Take(const RowValues& more, RowValues& values, const Wanted& wanted) {
  for (size_t i = 0; i < values.valid.size(); ++i) {
    if (!wanted(i)) continue;
    values.valid[i] = more.valid[i];
    if (values.kind == Kind::kDouble) {
      values.doubles[i] = more.doubles[i];
    } else {
      values.wholes[i] = more.wholes[i];
    }
  }
}

// The functions that KindOfCall() gives a kind, and no other.
RowValues Called(const std::string& name, std::vector<RowValues> arguments) {
  RowValues& first = arguments.front();
  if (name == "cast_double") return ToDoubles(std::move(first));
  if (name == "nan_to_null") return NanToNull(std::move(first));
  if (name == "is_null" || name == "is_not_null") return Nulls(first, name == "is_null");
  if (name == "not") {
    for (int64_t& each : first.wholes) each = each == 0 ? 1 : 0;
    return std::move(first);
  }
  if (name == "coalesce") {
    for (size_t next = 1; next < arguments.size(); ++next) {
      Take(arguments[next], first, [&](size_t row) { return first.valid[row] == 0; });
    }
    return std::move(first);
  }
  if (name == "if") {
    Take(arguments[1], arguments[2], [&](size_t row) { return first.True(row); });
    return std::move(arguments[2]);
  }
  if (name == "=" || name == ">=") return Compared(name == "=", std::move(first), arguments[1]);
  return Computed(name.front(), std::move(first), arguments[1]);
}

}  // namespace

std::optional<Kind> InferKind(const Expr& expr, const arrow::Schema& schema) {
  if (expr.kind == Expr::Kind::kColumn) {
    const auto field = schema.GetFieldByName(expr.name);
    return field == nullptr ? std::nullopt : KindOfType(*field->type());
  }
  if (expr.kind == Expr::Kind::kLiteral) {
    if (std::holds_alternative<bool>(expr.value)) return Kind::kFlag;
    if (std::holds_alternative<int64_t>(expr.value)) return Kind::kWhole;
    if (std::holds_alternative<double>(expr.value)) return Kind::kDouble;
    return std::nullopt;
  }
  std::vector<Kind> kinds;
  for (const Expr& argument : expr.arguments) {
    const auto kind = InferKind(argument, schema);
    if (!kind) return std::nullopt;
    // Floats stay floats in an engine until they are cast.
    const auto field = schema.GetFieldByName(argument.name);
    const bool is_float =
        argument.kind == Expr::Kind::kColumn && field->type()->id() == arrow::Type::FLOAT;
    if (is_float && expr.name != "cast_double" && expr.name != "nan_to_null") return std::nullopt;
    kinds.push_back(*kind);
  }
  if (kinds.empty() || (expr.name == "if" && kinds.size() != 3)) return std::nullopt;
  return KindOfCall(expr, kinds);
}

Result<RowValues> Evaluate(const Expr& expr, const arrow::RecordBatch& batch) {
  if (expr.kind == Expr::Kind::kColumn) {
    const auto column = batch.GetColumnByName(expr.name);
    PT_CHECK(column != nullptr);
    return OfColumn(*column);
  }
  if (expr.kind == Expr::Kind::kLiteral) {
    return OfLiteral(expr.value, static_cast<size_t>(batch.num_rows()));
  }
  std::vector<RowValues> arguments;
  for (const Expr& argument : expr.arguments) {
    PT_LET(RowValues values, Evaluate(argument, batch));
    arguments.push_back(std::move(values));
  }
  return Called(expr.name, std::move(arguments));
}

Result<std::shared_ptr<arrow::Array>> ToArray(const RowValues& values) {
  std::shared_ptr<arrow::Array> array;
  if (values.kind == Kind::kDouble) {
    arrow::DoubleBuilder builder;
    PT_TRY(builder.AppendValues(values.doubles.data(), int64_t(values.doubles.size()),
                                values.valid.data()));
    PT_TRY(builder.Finish(&array));
  } else if (values.kind == Kind::kWhole) {
    arrow::Int64Builder builder;
    PT_TRY(builder.AppendValues(values.wholes.data(), int64_t(values.wholes.size()),
                                values.valid.data()));
    PT_TRY(builder.Finish(&array));
  } else {
    arrow::BooleanBuilder builder;
    PT_TRY(builder.Reserve(int64_t(values.wholes.size())));
    for (size_t i = 0; i < values.wholes.size(); ++i) {
      values.valid[i] != 0 ? builder.UnsafeAppend(values.wholes[i] != 0)
                           : builder.UnsafeAppendNull();
    }
    PT_TRY(builder.Finish(&array));
  }
  return array;
}

std::shared_ptr<arrow::DataType> ToArrowType(Kind kind) {
  if (kind == Kind::kDouble) return arrow::float64();
  return kind == Kind::kWhole ? arrow::int64() : arrow::boolean();
}

}  // namespace protium
