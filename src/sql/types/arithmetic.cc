// SPDX-License-Identifier: Apache-2.0
// Operators over numbers, and dates moved by days and intervals. Numbers meet in one type
// (CommonNumber); decimals are computed by a function of ours, all else by DuckDB's operators once
// both sides are of that type. Dates move by whole days or intervals; what would make an interval
// of two dates is refused, since no table of ours holds intervals.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sql/tree.h"
#include "sql/types/calls.h"
#include "sql/types/convert.h"

namespace protium {
namespace {

using tree::Text;

bool AnyIs(const TypedCall& call, SqlType::Kind kind) {
  return std::any_of(call.types.begin(), call.types.end(),
                     [&](const SqlType& type) { return type == kind; });
}

std::string TypeNames(const TypedCall& call) {
  std::vector<std::string> names;
  for (const SqlType& type : call.types) names.push_back(type.SparkName());
  return fmt::format("{}", fmt::join(names, " and "));
}

Status RefuseTypes(const TypedCall& call) {
  return call.Refuse(fmt::format("\"{}\" is given {}", call.name, TypeNames(call)),
                     "Spark has no such operation", "cast them to numbers");
}

// Finds the type in which two operands are computed; nothing is cast yet but constants beside
// decimals and NULL. Unknown if one operand is; refused if it is no number.
Result<SqlType> CommonNumber(TypedCall& call) {
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  TightenBesideDecimal(call.argument(0), call.types[0], call.types[1]);
  TightenBesideDecimal(call.argument(1), call.types[1], call.types[0]);
  const auto common = CommonType(call.types[0], call.types[1]);
  if (!common || !(common->IsNumber() || *common == SqlType::kNull)) return RefuseTypes(call);
  if (*common == SqlType::kNull) call.CoerceAll({SqlType::kDouble});
  return *common == SqlType::kNull ? SqlType{SqlType::kDouble} : *common;
}

// Computes in decimals by a function of ours. DuckDB gives results other widths, and fails where
// Spark rounds digits away to fit 38.
SqlType TypeDecimals(TypedCall& call, char operation) {
  for (size_t i = 0; i < 2; ++i) {
    if (call.types[i] == SqlType::kNull) call.CoerceTo(i, call.types[1 - i]);
    call.CoerceTo(i, AsDecimal(call.types[i]));
  }
  const SqlType result =
      DecimalResult(operation == 'p' ? '%' : operation, call.types[0], call.types[1]);
  tree::Replace(call.node, DecimalCall(operation, tree::Take(call.argument(0)),
                                       tree::Take(call.argument(1)), result));
  return result;
}

// By what an interval of days and times moves a date: 'd' whole days, 't' a time of day, '?' where
// its spelling does not say.
char FindUnit(const Json& interval) {
  const std::string name = Text(interval, "function_name");
  if (name == "to_days" || name == "to_weeks") return 'd';
  for (const char* const time : {"to_hours", "to_minutes", "to_seconds"}) {
    if (name == time) return 't';
  }
  return '?';
}

bool IsInterval(const SqlType& type) {
  return type == SqlType::kInterval || type == SqlType::kMonths;
}

// A date or time moved by months is written as a call of pt_add_months: DuckDB finds INTERVAL 1
// MONTH equal to INTERVAL 30 DAY, so where both are added to the same column it computes one of
// them only.
SqlType MoveByMonths(TypedCall& call, size_t moved) {
  const SqlType type = call.types[moved];
  call.CoerceTo(moved, {SqlType::kTimestamp});
  Json months = tree::Take(call.argument(1 - moved));
  if (call.name == "-") months = tree::Call("-", Json::array({months}), months);
  Json operands = Json::array({tree::Take(call.argument(moved)), std::move(months)});
  tree::Replace(call.node, tree::Call("pt_add_months", std::move(operands), call.node));
  // A date moved by months stays one in Spark; DuckDB makes a timestamp of it.
  if (type == SqlType::kDate) call.CastResult(type);
  return type;
}

// `moved` is the place of the operand that is no interval. In Spark a date moved by whole days
// stays a date, by a time of day it becomes a timestamp; DuckDB always makes a timestamp.
Result<SqlType> MoveByInterval(TypedCall& call, size_t moved) {
  if (call.name == "-" && moved == 1) {
    return call.Refuse("something is subtracted from an interval", "Spark has no such operation",
                       "put the date or time first");
  }
  const bool months = call.types[1 - moved] == SqlType::kMonths;
  if (months && call.types[moved].IsTime()) return MoveByMonths(call, moved);
  if (call.types[moved] == SqlType::kTimestamp) return call.types[moved];
  const char unit = FindUnit(call.argument(1 - moved));
  if (call.types[moved] != SqlType::kDate || unit == '?') {
    return call.Refuse(fmt::format("{} is moved by an interval", call.types[moved].SparkName()),
                       "whether that is a date or a time depends on the engine",
                       "cast it to a timestamp, or use date_add() or add_months()");
  }
  if (unit == 't') return SqlType{SqlType::kTimestamp};
  call.CastResult({SqlType::kDate});
  return SqlType{SqlType::kDate};
}

Result<SqlType> AddIntervals(const TypedCall& call) {
  if (call.types[0] == call.types[1]) return call.types[0];
  return call.Refuse("an interval mixes months and days",
                     "Spark keeps intervals of months and of days apart",
                     "move the date or time by each in turn");
}

// An interval of months multiplied or divided. DuckDB turns what is left of a month into days,
// Spark rounds to whole months; so only whole multiples pass.
Result<SqlType> TypeMonths(const TypedCall& call) {
  const size_t number = call.types[0] == SqlType::kMonths ? 1 : 0;
  if (call.name == "*" && call.types[number].IsWhole()) return SqlType{SqlType::kMonths};
  return call.Refuse(fmt::format("\"{}\" is given {}", call.name, TypeNames(call)),
                     "the embedded engine has no fractions of months",
                     "multiply by a whole number, or use add_months()");
}

// A date moved by a number of days. Two dates are refused.
Result<SqlType> TypeTimes(TypedCall& call) {
  const bool first = call.types[0].IsTime(), second = call.types[1].IsTime();
  const bool whole = call.types[first ? 1 : 0].IsWhole();
  if (first && second) {
    return call.Refuse("the difference of two dates or times is not supported",
                       "it is an interval in Spark, which tables cannot hold",
                       "use datediff(a, b), or unix_timestamp() of both");
  }
  const size_t moved = first ? 0 : 1;
  const bool fits = whole && call.types[1 - moved] != SqlType::kBigint;
  if (call.types[moved] != SqlType::kDate || !fits) {
    return call.Refuse(fmt::format("\"{}\" is given {}", call.name, TypeNames(call)),
                       "Spark moves dates only by 32-bit numbers",
                       "use date_add(date, CAST(days AS INT))");
  }
  call.CoerceTo(1 - moved, {SqlType::kInt});
  return SqlType{SqlType::kDate};
}

// -x, +x and abs(x): text is read as a double.
Result<SqlType> TypeSign(TypedCall& call) {
  const SqlType type = call.types[0];
  if (type == SqlType::kBoolean || type.IsTime()) return RefuseTypes(call);
  if (type == SqlType::kText || type == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  return call.types[0];
}

}  // namespace

// The function's name carries the scale, because a function of DuckDB's has one type of result.
// That is DECIMAL(38, scale), which a cast narrows.
Json DecimalCall(char operation, Json first, Json second, const SqlType& result) {
  const Json like = first;
  // A divisor of zero is an error, which a condition before it may keep out.
  if (std::string_view("/%dp").find(operation) != std::string_view::npos) {
    first = tree::Call("pt_may_fail", Json::array({std::move(first)}), like);
  }
  Json call = tree::Call(fmt::format("pt_decimal_{}", result.scale),
                         Json::array({tree::TextConstant(std::string(1, operation)),
                                      std::move(first), std::move(second)}),
                         like);
  return result.precision == kMostDigits ? call : tree::Cast(std::move(call), result);
}

Result<SqlType> TypeSum(TypedCall& call) {
  if (call.types.size() == 1) return TypeSign(call);
  if (call.types.size() != 2) return SqlType{};
  for (const size_t i : {0, 1}) {
    if (!IsInterval(call.types[i])) continue;
    if (call.types[1 - i] == SqlType::kUnknown) return SqlType{};
    if (IsInterval(call.types[1 - i])) return AddIntervals(call);
    return MoveByInterval(call, 1 - i);
  }
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  if (call.types[0].IsTime() || call.types[1].IsTime()) return TypeTimes(call);
  PT_LET(const SqlType common, CommonNumber(call));
  if (common == SqlType::kDecimal) return TypeDecimals(call, call.name[0]);
  call.CoerceAll(common);
  return common;
}

Result<SqlType> TypeProduct(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  if (AnyIs(call, SqlType::kInterval)) return SqlType{SqlType::kInterval};
  if (AnyIs(call, SqlType::kMonths)) return TypeMonths(call);
  PT_LET(SqlType common, CommonNumber(call));
  const bool divided = call.name == "/" || call.name == "try_divide";
  const char operation = divided               ? '/'
                         : call.name == "pmod" ? 'p'
                         : call.name == "mod"  ? '%'
                                               : call.name[0];
  // Of NULL and a decimal Spark makes a double here, unlike in the other operations.
  if (divided && AnyIs(call, SqlType::kNull)) common = {SqlType::kDouble};
  if (common == SqlType::kDecimal) {
    if (call.name == "try_divide") {
      // The function fails for a divisor of zero; NULL gives NULL.
      call.argument(1) = tree::Call(
          "nullif", Json::array({tree::Take(call.argument(1)), tree::WholeConstant(0)}), call.node);
    }
    return TypeDecimals(call, operation);
  }
  if (divided && common != SqlType::kUnknown) common = {SqlType::kDouble};
  call.CoerceAll(common);
  return common;
}

Result<SqlType> TypeTried(TypedCall& call) {
  if (call.types.size() != 2 || AnyIs(call, SqlType::kUnknown)) return SqlType{};
  if (call.types[0].IsTime() || call.types[1].IsTime()) return SqlType{};
  PT_LET(const SqlType common, CommonNumber(call));
  if (common == SqlType::kDecimal) {
    return call.Refuse(call.name + "() is given a decimal",
                       "the embedded engine returns decimals of another width there",
                       "cast both to DOUBLE, or use the operator");
  }
  call.CoerceAll(common);
  return common;
}

Result<SqlType> TypeDivision(TypedCall& call) {
  if (call.types.size() != 2 || AnyIs(call, SqlType::kUnknown)) return SqlType{SqlType::kBigint};
  PT_LET(const SqlType common, CommonNumber(call));
  const SqlType whole{SqlType::kBigint};
  const bool nothing = call.types[0] == SqlType::kNull && call.types[1] == SqlType::kNull;
  if (common.IsReal() && !nothing) {
    return call.Refuse(fmt::format("div is given {}", TypeNames(call)),
                       "in Spark div takes only whole numbers and decimals",
                       "use CAST(a / b AS BIGINT)");
  }
  if (common != SqlType::kDecimal) {
    call.CoerceAll(whole);
    return whole;
  }
  for (const size_t i : {0, 1}) call.CoerceTo(i, AsDecimal(call.types[i]));
  // Of a quotient beyond 64 bits the function returns the lowest 64, so the cast cannot fail.
  Json quotient = DecimalCall('d', tree::Take(call.argument(0)), tree::Take(call.argument(1)),
                              SqlType::Decimal(kMostDigits, 0));
  tree::Replace(call.node, tree::Cast(std::move(quotient), whole));
  return whole;
}

Result<SqlType> TypeBits(TypedCall& call) {
  if (AnyIs(call, SqlType::kUnknown) || call.types.empty()) return SqlType{};
  for (const SqlType& type : call.types) {
    if (!type.IsWhole() && type != SqlType::kNull && type != SqlType::kText) {
      return RefuseTypes(call);
    }
  }
  // The left operand alone decides the type of a shift; TINYINT and SMALLINT become INT, as in
  // Java.
  const bool shifted = call.name == "<<" || call.name == ">>" || call.name.starts_with("shift");
  if (!shifted && call.types.size() == 2) {
    PT_LET(const SqlType common, CommonNumber(call));
    call.CoerceAll(common);
    return common;
  }
  const bool narrow = call.types[0] == SqlType::kTinyint || call.types[0] == SqlType::kSmallint;
  if (shifted && (narrow || !call.types[0].IsWhole())) call.CoerceTo(0, {SqlType::kInt});
  if (shifted && call.types.size() == 2) call.CoerceTo(1, {SqlType::kInt});
  return call.types[0];
}

}  // namespace protium
