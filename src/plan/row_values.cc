// SPDX-License-Identifier: Apache-2.0
#include "plan/row_values.h"

#include <arrow/api.h>

#include <cmath>

#include "base/strict_math.h"

// Expressions are evaluated operand by operand, a whole batch at a time, into columns of doubles or
// 64-bit numbers with a byte of validity for each row. InferKind() decides beforehand, from the
// types of columns and constants alone, whether that is possible; Evaluate() relies on it and
// checks nothing again.

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

// Whether it is a constant other than zero: division by zero is an error, which an engine has to
// report.
bool IsDivisor(const Expr& expr) {
  const auto* const value = std::get_if<double>(&expr.value);
  return expr.kind == Expr::Kind::kLiteral && value != nullptr && *value != 0;
}

// A function of one double. NULL gives NULL.
struct Formula {
  const char* name;
  std::optional<double> (*of)(double);  // nullopt: NULL.
};
// The logarithms are NULL where they have no value, and let NaN pass; comparisons with it are
// false.
constexpr Formula kFormulas[] = {
    {"abs", [](double x) -> std::optional<double> { return std::abs(x); }},
    {"expm1", [](double x) -> std::optional<double> { return StrictExpm1(x); }},
    {"ln",
     [](double x) -> std::optional<double> {
       if (x <= 0) return std::nullopt;
       return StrictLog(x);
     }},
    {"log1p",
     [](double x) -> std::optional<double> {
       if (x <= -1) return std::nullopt;
       return StrictLog1p(x);
     }},
    {"negate", [](double x) -> std::optional<double> { return -x; }},
    {"sqrt", [](double x) -> std::optional<double> { return std::sqrt(x); }}};

const Formula* FindFormula(const std::string& name) {
  for (const Formula& each : kFormulas) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

// A comparison of doubles. Both engines order NaN above every number, and as equal to itself.
struct Order {
  const char* name;
  bool (*of)(double, double);
};
bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
constexpr Order kOrders[] = {{"<", Less},
                             {"<=", [](double a, double b) { return !Less(b, a); }},
                             {">", [](double a, double b) { return Less(b, a); }}};

const Order* FindOrder(const std::string& name) {
  for (const Order& each : kOrders) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

// The kind of a call whose arguments have these kinds. The table of what this file can compute.
std::optional<Kind> KindOfCall(const Expr& call, const std::vector<Kind>& kinds) {
  const std::string& name = call.name;
  const auto all = [&](Kind kind) {
    for (const Kind each : kinds) {
      if (each != kind) return false;
    }
    return !kinds.empty();
  };
  if (name == "cast_double") return Kind::kDouble;
  // Both take any kind: ToDoubles() turns whole numbers and flags into doubles first.
  if (name == "nan_to_null") return Kind::kDouble;
  if (name == "is_null" || name == "is_not_null") return Kind::kFlag;
  if (name == "not" && all(Kind::kFlag)) return Kind::kFlag;
  if (all(Kind::kDouble)) {
    if (name == "is_nan" || FindOrder(name) != nullptr) return Kind::kFlag;
    if (FindFormula(name) != nullptr) return Kind::kDouble;
  }
  // No doubles: see Compared().
  if ((name == "=" || name == ">=") && all(Kind::kWhole)) return Kind::kFlag;
  if ((name == "+" || name == "-" || name == "*") && all(Kind::kDouble)) return Kind::kDouble;
  // A divisor that is no constant may be 0 in some row.
  if (name == "/" && all(Kind::kDouble) && IsDivisor(call.arguments[1])) return Kind::kDouble;
  // All of one kind, so that no engine has to find a common type.
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

// Exact up to 2^53; beyond that the nearest double, as the engines' casts.
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

// Whether each value is NULL, or is not if `wanted` is false; never NULL itself.
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

RowValues Applied(const Formula& formula, RowValues values) {
  for (size_t i = 0; i < values.valid.size(); ++i) {
    if (values.valid[i] == 0) continue;
    const std::optional<double> made = formula.of(values.doubles[i]);
    values.valid[i] = made ? 1 : 0;
    values.doubles[i] = made.value_or(0);
  }
  return values;
}

RowValues Ordered(const Order& order, const RowValues& a, const RowValues& b) {
  RowValues flags{.kind = Kind::kFlag};
  for (size_t i = 0; i < a.valid.size(); ++i) {
    flags.wholes.push_back(order.of(a.doubles[i], b.doubles[i]) ? 1 : 0);
    flags.valid.push_back(a.valid[i] & b.valid[i]);
  }
  return flags;
}

// Never NULL: NULL is not NaN.
RowValues Nans(const RowValues& values) {
  RowValues flags{.kind = Kind::kFlag};
  for (size_t i = 0; i < values.valid.size(); ++i) {
    flags.wholes.push_back(values.valid[i] != 0 && std::isnan(values.doubles[i]) ? 1 : 0);
  }
  flags.valid.assign(values.valid.size(), 1);
  return flags;
}

// Copies the rows from `more` for which `wanted` says so.
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
  // NOT NULL is NULL: validity stays.
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
  // A condition that is NULL takes the last value, as CASE does.
  if (name == "if") {
    Take(arguments[1], arguments[2], [&](size_t row) { return first.True(row); });
    return std::move(arguments[2]);
  }
  if (name == "is_nan") return Nans(first);
  if (const Formula* const formula = FindFormula(name)) return Applied(*formula, std::move(first));
  if (const Order* const order = FindOrder(name)) return Ordered(*order, first, arguments[1]);
  if (name == "=" || name == ">=") return Compared(name == "=", std::move(first), arguments[1]);
  return Computed(name.front(), std::move(first), arguments[1]);
}

}  // namespace

// Text and NULL literals have no kind, nor do columns of dates, times and text.
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
    // An engine computes with FLOAT columns in single precision; only a cast makes doubles of them.
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
  // Builders copy from a pointer, and a vector of nothing has none.
  if (values.valid.empty()) return arrow::MakeEmptyArray(ToArrowType(values.kind));
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
