// SPDX-License-Identifier: Apache-2.0
// Operators over numbers, and dates moved by days and intervals.
#include <fmt/format.h>

#include <algorithm>
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

// Casts the operands to what they have in common; text becomes a number beside a number.
Result<SqlType> CommonNumber(TypedCall& call) {
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  TightenBesideDecimal(call.argument(0), call.types[0], call.types[1]);
  TightenBesideDecimal(call.argument(1), call.types[1], call.types[0]);
  const auto common = CommonType(call.types[0], call.types[1]);
  if (!common || !(common->IsNumber() || *common == SqlType::kNull)) return RefuseTypes(call);
  if (*common == SqlType::kNull) call.CoerceAll({SqlType::kDouble});
  return *common == SqlType::kNull ? SqlType{SqlType::kDouble} : *common;
}

// Both as decimals, and the operation as a function of ours over 38 digits: DuckDB knows other
// widths of results and fails where Spark rounds.
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

// What an interval of days and times moves: 'd' whole days, 't' a time of day, '?' not told by its
// spelling.
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

// Months have a function of their own: DuckDB takes INTERVAL 1 MONTH and INTERVAL 30 DAY for one
// constant, and gives x + the one where both are asked for.
SqlType MoveByMonths(TypedCall& call, size_t moved) {
  const SqlType type = call.types[moved];
  call.CoerceTo(moved, {SqlType::kTimestamp});
  Json months = tree::Take(call.argument(1 - moved));
  if (call.name == "-") months = tree::Call("-", Json::array({months}), months);
  Json operands = Json::array({tree::Take(call.argument(moved)), std::move(months)});
  tree::Replace(call.node, tree::Call("pt_add_months", std::move(operands), call.node));
  if (type == SqlType::kDate) call.CastResult(type);
  return type;
}

Result<SqlType> MoveByInterval(TypedCall& call, size_t moved) {
  if (call.name == "-" && moved == 1) {
    return call.Refuse("an interval has something taken from it", "Spark has no such operation",
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
  return call.Refuse("months and days are put into one interval",
                     "Spark keeps intervals of months and of days apart",
                     "move the date or time by each in turn");
}

// DuckDB has days for what is left of a month, Spark rounds to whole ones.
Result<SqlType> TypeMonths(const TypedCall& call) {
  const size_t number = call.types[0] == SqlType::kMonths ? 1 : 0;
  if (call.name == "*" && call.types[number].IsWhole()) return SqlType{SqlType::kMonths};
  return call.Refuse(fmt::format("\"{}\" is given {}", call.name, TypeNames(call)),
                     "the embedded engine knows no parts of months",
                     "multiply by a whole number, or use add_months()");
}

// A date and a whole number, or two dates.
Result<SqlType> TypeTimes(TypedCall& call) {
  const bool first = call.types[0].IsTime(), second = call.types[1].IsTime();
  const bool whole = call.types[first ? 1 : 0].IsWhole();
  if (first && second) {
    return call.Refuse("the difference of two dates or times is taken",
                       "it is an interval in Spark, which tables do not carry",
                       "use datediff(a, b), or unix_timestamp() of both");
  }
  const size_t moved = first ? 0 : 1;
  const bool fits = whole && call.types[1 - moved] != SqlType::kBigint;
  if (call.types[moved] != SqlType::kDate || !fits) {
    return call.Refuse(fmt::format("\"{}\" is given {}", call.name, TypeNames(call)),
                       "Spark moves dates by numbers of 32 bits alone",
                       "use date_add(date, CAST(days AS INT))");
  }
  call.CoerceTo(1 - moved, {SqlType::kInt});
  return SqlType{SqlType::kDate};
}

// -x, +x and abs(x).
Result<SqlType> TypeSign(TypedCall& call) {
  const SqlType type = call.types[0];
  if (type == SqlType::kBoolean || type.IsTime()) return RefuseTypes(call);
  if (type == SqlType::kText || type == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  return call.types[0];
}

}  // namespace

Json DecimalCall(char operation, Json first, Json second, const SqlType& result) {
  const Json like = first;
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
  // A bare NULL makes a quotient a double.
  if (divided && AnyIs(call, SqlType::kNull)) common = {SqlType::kDouble};
  if (common == SqlType::kDecimal) {
    if (call.name == "try_divide") {
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
                       "the embedded engine knows decimals of other widths there",
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
                       "Spark divides whole numbers and decimals alone so",
                       "use CAST(a / b AS BIGINT)");
  }
  if (common != SqlType::kDecimal) {
    call.CoerceAll(whole);
    return whole;
  }
  for (const size_t i : {0, 1}) call.CoerceTo(i, AsDecimal(call.types[i]));
  // Of a quotient beyond 64 bits these are the lowest.
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
