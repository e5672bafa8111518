// SPDX-License-Identifier: Apache-2.0
// Operators over numbers; for times and intervals see intervals.cc. Numbers are computed in a
// common type (CommonNumber): decimals by a function of our own, all others by DuckDB's operators
// after both sides are cast to that type.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

using tree::Text;

bool AnyIs(const TypedCall& call, SqlType::Kind kind) {
  return std::any_of(call.types.begin(), call.types.end(),
                     [&](const SqlType& type) { return type == kind; });
}

bool AnyTime(const TypedCall& call) {
  return std::any_of(call.types.begin(), call.types.end(),
                     [](const SqlType& type) { return type.IsTime() || type.IsInterval(); });
}

Status RefuseTypes(const TypedCall& call) {
  return call.Refuse(fmt::format("\"{}\" is given {}", call.name, call.TypeNames()),
                     "Spark has no such operation", "cast them to numbers");
}

// Finds the type in which two operands are computed; so far only constants beside decimals and NULL
// are cast. Unknown if one operand is unknown; refused if one is not a number.
Result<SqlType> CommonNumber(TypedCall& call) {
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  TightenBesideDecimal(call.argument(0), call.types[0], call.types[1]);
  TightenBesideDecimal(call.argument(1), call.types[1], call.types[0]);
  const auto common = CommonType(call.types[0], call.types[1]);
  if (!common || !(common->IsNumber() || *common == SqlType::kNull)) return RefuseTypes(call);
  if (*common == SqlType::kNull) call.CoerceAll({SqlType::kDouble});
  return *common == SqlType::kNull ? SqlType{SqlType::kDouble} : *common;
}

// Computes decimals by a function of our own. DuckDB gives results of other widths, and fails where
// Spark rounds digits away to fit 38.
SqlType TypeDecimals(TypedCall& call, char operation, bool tried = false) {
  for (size_t i = 0; i < 2; ++i) {
    if (call.types[i] == SqlType::kNull) call.CoerceTo(i, call.types[1 - i]);
    call.CoerceTo(i, AsDecimal(call.types[i]));
  }
  const SqlType result =
      DecimalResult(operation == 'p' ? '%' : operation, call.types[0], call.types[1]);
  tree::Replace(call.node, DecimalCall(operation, tree::Take(call.argument(0)),
                                       tree::Take(call.argument(1)), result, tried));
  return result;
}

// -x, +x and abs(x): text is read as a double.
Result<SqlType> TypeSign(TypedCall& call) {
  const SqlType type = call.types[0];
  if (type == SqlType::kBoolean || type.IsTime()) return RefuseTypes(call);
  if (type.IsInterval()) return TypeInterval(call);
  if (type == SqlType::kText || type == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  return call.types[0];
}

}  // namespace

// The function's name contains the scale, because a DuckDB function has one result type:
// DECIMAL(38, scale), which a cast narrows.
Json DecimalCall(char operation, Json first, Json second, const SqlType& result, bool tried) {
  const Json like = first;
  // A divisor of zero is an error, which a preceding condition may prevent.
  if (!tried && std::string_view("/%dp").find(operation) != std::string_view::npos) {
    second = tree::Call("pt_may_fail", Json::array({std::move(second)}), like);
  }
  std::string signs(1, operation);
  if (tried) signs += '?';
  Json call = tree::Call(
      fmt::format("pt_decimal_{}", result.scale),
      Json::array({tree::TextConstant(signs), std::move(first), std::move(second)}), like);
  return result.precision == kMostDigits ? call : tree::Cast(std::move(call), result, tried);
}

Result<SqlType> TypeSum(TypedCall& call) {
  if (call.types.size() == 1) return TypeSign(call);
  if (call.types.size() != 2) return SqlType{};
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  if (AnyTime(call)) return TypeInterval(call);
  PT_LET(const SqlType common, CommonNumber(call));
  if (common == SqlType::kDecimal) return TypeDecimals(call, call.name[0]);
  call.CoerceAll(common);
  return common;
}

Result<SqlType> TypeProduct(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  if (AnyIs(call, SqlType::kUnknown)) return SqlType{};
  if (call.types[0].IsInterval() || call.types[1].IsInterval()) return TypeInterval(call);
  PT_LET(SqlType common, CommonNumber(call));
  const bool divided = call.name == "/" || call.name == "try_divide";
  const char operation = divided               ? '/'
                         : call.name == "pmod" ? 'p'
                         : call.name == "mod"  ? '%'
                                               : call.name[0];
  // Here Spark makes a double of NULL and a decimal, unlike for the other operations.
  if (divided && AnyIs(call, SqlType::kNull)) common = {SqlType::kDouble};
  if (common == SqlType::kDecimal) {
    return TypeDecimals(call, operation, call.name == "try_divide");
  }
  if (divided && common != SqlType::kUnknown) common = {SqlType::kDouble};
  call.CoerceAll(common);
  return common;
}

// try_add() and the like: NULL where the result does not fit, but not where an operand fails. Whole
// numbers are computed in 128 bits, which any result fits, and doubles never fail. For times Spark
// also forgives failing operands (TryEval), as TRY() does.
Result<SqlType> TypeTried(TypedCall& call) {
  if (call.types.size() != 2 || AnyIs(call, SqlType::kUnknown)) return SqlType{};
  static constexpr std::pair<std::string_view, const char*> kOperators[] = {
      {"try_add", "+"}, {"try_subtract", "-"}, {"try_multiply", "*"}, {"try_mod", "%"}};
  const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                         [&](const auto& pair) { return pair.first == call.name; });
  const std::string name = call.name;
  call.name = found->second;
  if (AnyTime(call)) {
    PT_LET(const SqlType type, TypeInterval(call));
    tree::Replace(call.node,
                  tree::Operator("OPERATOR", "OPERATOR_TRY", Json::array({tree::Take(call.node)})));
    return type;
  }
  PT_LET(const SqlType common, CommonNumber(call));
  for (const size_t i : {0, 1}) {
    // For text, Spark forgives that it is not a number.
    if (call.types[i] != SqlType::kText) continue;
    const char* const read = common == SqlType::kBigint ? "pt_try_bigint" : "pt_try_double";
    tree::Replace(call.argument(i),
                  tree::Call(read, Json::array({tree::Take(call.argument(i))}), call.node));
    call.types[i] = common;
  }
  if (common == SqlType::kDecimal) return TypeDecimals(call, call.name[0], /*tried=*/true);
  // The macro try_mod() returns NULL for a remainder by zero.
  call.node["function_name"] = name == "try_mod" ? name : call.name;
  if (common.IsReal()) {
    call.CoerceAll(common);
    return common;
  }
  for (const size_t i : {0, 1}) {
    call.CoerceTo(i, common);
    // Spark has no HUGEINT: FromDuck() would make it a decimal, so the type is named here.
    tree::Replace(call.argument(i),
                  tree::Cast(tree::Take(call.argument(i)), {SqlType::kOther, 0, 0, "HUGEINT"}));
  }
  tree::Replace(call.node, tree::Cast(tree::Take(call.node), common, /*tried=*/true));
  return common;
}

Result<SqlType> TypeDivision(TypedCall& call) {
  if (call.types.size() != 2 || AnyIs(call, SqlType::kUnknown)) return SqlType{SqlType::kBigint};
  PT_LET(const SqlType common, CommonNumber(call));
  const SqlType whole{SqlType::kBigint};
  const bool nothing = call.types[0] == SqlType::kNull && call.types[1] == SqlType::kNull;
  if (common.IsReal() && !nothing) {
    return call.Refuse(fmt::format("div is given {}", call.TypeNames()),
                       "in Spark div takes only whole numbers and decimals",
                       "use CAST(a / b AS BIGINT)");
  }
  if (common != SqlType::kDecimal) {
    call.CoerceAll(whole);
    return whole;
  }
  for (const size_t i : {0, 1}) call.CoerceTo(i, AsDecimal(call.types[i]));
  // For a quotient beyond 64 bits the function returns the lowest 64, so the cast cannot fail.
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
  // The macro returns a BIGINT for every type.
  if (shifted && call.types[0] == SqlType::kInt) call.CastResult(call.types[0]);
  return call.types[0];
}

}  // namespace protium
