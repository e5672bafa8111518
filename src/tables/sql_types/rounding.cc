// SPDX-License-Identifier: Apache-2.0
// round(), bround(), floor() and ceil(): for a decimal, Spark returns a decimal of another width,
// while DuckDB has its own rule or makes a double. Widths as in Spark's RoundBase and CeilFloor.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

// One digit more before the point, since 9.5 becomes 10. With negative `digits` the result has no
// fraction, and at least one digit more than are rounded away.
SqlType RoundedDecimal(const SqlType& type, int digits) {
  const int whole = type.precision - type.scale + 1;
  if (digits < 0) return SqlType::Decimal(std::max(whole, 1 - digits), 0);
  const int scale = std::min(type.scale, digits);
  return SqlType::Decimal(whole + scale, scale);
}

Result<SqlType> RoundDecimals(TypedCall& call, char operation) {
  int digits = 0;
  if (call.types.size() > 1 && !tree::WholeValue(call.argument(1), digits)) {
    return call.Refuse(call.name + "() is given digits that are not a literal number",
                       "the type of its result depends on them", "write the number of digits");
  }
  const SqlType result = RoundedDecimal(call.types[0], digits);
  tree::Replace(call.node, DecimalCall(operation, tree::Take(call.argument(0)),
                                       tree::WholeConstant(digits), result));
  return result;
}

// ceil(x, 2) and floor(x, 2): Spark first makes every number a decimal, even doubles.
Result<SqlType> TypeWholeAt(TypedCall& call, char operation) {
  const SqlType type = call.types[0];
  if (!type.IsNumber()) {
    return call.Refuse(
        fmt::format("{}() to a number of digits is given {}", call.name, type.SparkName()),
        "Spark makes a decimal of it, whose width depends on the text", "cast it to a number");
  }
  const bool real = type.IsReal();
  // Spark's DecimalType.FloatDecimal and DoubleDecimal.
  const SqlType decimal = type == SqlType::kFloat ? SqlType::Decimal(14, 7)
                          : real                  ? SqlType::Decimal(30, 15)
                                                  : AsDecimal(type);
  if (type != SqlType::kDecimal) call.CoerceTo(0, decimal);
  return RoundDecimals(call, operation);
}

}  // namespace

Result<SqlType> TypeRounded(TypedCall& call) {
  if (call.types.empty() || call.types[0] == SqlType::kUnknown) return SqlType{};
  const SqlType type = call.types[0];
  if (type == SqlType::kDecimal) return RoundDecimals(call, call.name == "round" ? 'r' : 'e');
  if (call.types.size() > 1) call.CoerceTo(1, {SqlType::kInt});
  // Whole numbers and floats retain their type, which DuckDB's result may exceed.
  if (type.IsWhole() || type == SqlType::kFloat) {
    if (type == SqlType::kFloat) call.CoerceTo(0, {SqlType::kDouble});
    call.CastResult(type);
    return type;
  }
  if (type != SqlType::kText && type != SqlType::kDouble && type != SqlType::kNull) {
    return call.Refuse(call.name + "() is given " + type.SparkName(), "Spark rounds only numbers",
                       "cast it to a number");
  }
  call.CoerceTo(0, {SqlType::kDouble});
  return SqlType{SqlType::kDouble};
}

Result<SqlType> TypeWhole(TypedCall& call) {
  if (call.types.empty() || call.types[0] == SqlType::kUnknown) return SqlType{};
  const SqlType type = call.types[0];
  const char operation = call.name == "floor" ? 'f' : 'c';
  if (call.types.size() > 1) return TypeWholeAt(call, operation);
  if (type == SqlType::kDecimal && type.scale == 0) {
    tree::Replace(call.node, tree::Take(call.argument(0)));
    return type;
  }
  if (type == SqlType::kDecimal) return RoundDecimals(call, operation);
  if (type.IsWhole()) {
    call.CoerceTo(0, {SqlType::kBigint});
    tree::Replace(call.node, tree::Take(call.argument(0)));
  }
  if (type == SqlType::kText || type == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  return SqlType{SqlType::kBigint};
}

}  // namespace protium
