// SPDX-License-Identifier: Apache-2.0
// Builds expressions. Nothing is checked here: an unknown function name is reported when the plan
// is analysed (Check in plan/functions.h).
#include "protium/expr.h"

namespace protium {
namespace {

// Moved one by one: an initialiser list would copy both.
Expr Binary(const char* function, Expr a, Expr b) {
  std::vector<Expr> arguments;
  arguments.push_back(std::move(a));
  arguments.push_back(std::move(b));
  return MakeCall(function, std::move(arguments));
}

}  // namespace

Expr Col(std::string name) { return {.kind = Expr::Kind::kColumn, .name = std::move(name)}; }

Expr Lit(Literal value) { return {.kind = Expr::Kind::kLiteral, .value = std::move(value)}; }

Expr MakeCall(std::string function, std::vector<Expr> arguments) {
  return {
      .kind = Expr::Kind::kCall, .name = std::move(function), .arguments = std::move(arguments)};
}

Expr operator+(Expr a, Expr b) { return Binary("+", std::move(a), std::move(b)); }
Expr operator-(Expr a, Expr b) { return Binary("-", std::move(a), std::move(b)); }
Expr operator*(Expr a, Expr b) { return Binary("*", std::move(a), std::move(b)); }
Expr operator/(Expr a, Expr b) { return Binary("/", std::move(a), std::move(b)); }
// Names as in SQL: = and <>, not == and !=.
Expr operator==(Expr a, Expr b) { return Binary("=", std::move(a), std::move(b)); }
Expr operator!=(Expr a, Expr b) { return Binary("<>", std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return Binary("<", std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return Binary("<=", std::move(a), std::move(b)); }
Expr operator>(Expr a, Expr b) { return Binary(">", std::move(a), std::move(b)); }
Expr operator>=(Expr a, Expr b) { return Binary(">=", std::move(a), std::move(b)); }
Expr operator&&(Expr a, Expr b) { return Binary("and", std::move(a), std::move(b)); }
Expr operator||(Expr a, Expr b) { return Binary("or", std::move(a), std::move(b)); }
Expr operator!(Expr a) { return MakeCall("not", {std::move(a)}); }

Expr operator+(Expr a, Literal b) { return std::move(a) + Lit(std::move(b)); }
Expr operator-(Expr a, Literal b) { return std::move(a) - Lit(std::move(b)); }
Expr operator*(Expr a, Literal b) { return std::move(a) * Lit(std::move(b)); }
Expr operator/(Expr a, Literal b) { return std::move(a) / Lit(std::move(b)); }
Expr operator==(Expr a, Literal b) { return std::move(a) == Lit(std::move(b)); }
Expr operator!=(Expr a, Literal b) { return std::move(a) != Lit(std::move(b)); }
Expr operator<(Expr a, Literal b) { return std::move(a) < Lit(std::move(b)); }
Expr operator<=(Expr a, Literal b) { return std::move(a) <= Lit(std::move(b)); }
Expr operator>(Expr a, Literal b) { return std::move(a) > Lit(std::move(b)); }
Expr operator>=(Expr a, Literal b) { return std::move(a) >= Lit(std::move(b)); }
Expr operator+(Literal a, Expr b) { return Lit(std::move(a)) + std::move(b); }
Expr operator-(Literal a, Expr b) { return Lit(std::move(a)) - std::move(b); }
Expr operator*(Literal a, Expr b) { return Lit(std::move(a)) * std::move(b); }
Expr operator/(Literal a, Expr b) { return Lit(std::move(a)) / std::move(b); }
Expr operator==(Literal a, Expr b) { return Lit(std::move(a)) == std::move(b); }
Expr operator!=(Literal a, Expr b) { return Lit(std::move(a)) != std::move(b); }
Expr operator<(Literal a, Expr b) { return Lit(std::move(a)) < std::move(b); }
Expr operator<=(Literal a, Expr b) { return Lit(std::move(a)) <= std::move(b); }
Expr operator>(Literal a, Expr b) { return Lit(std::move(a)) > std::move(b); }
Expr operator>=(Literal a, Expr b) { return Lit(std::move(a)) >= std::move(b); }

Expr IsNull(Expr value) { return MakeCall("is_null", {std::move(value)}); }
Expr Coalesce(std::vector<Expr> values) { return MakeCall("coalesce", std::move(values)); }
Expr If(Expr condition, Expr then, Expr otherwise) {
  return MakeCall("if", {std::move(condition), std::move(then), std::move(otherwise)});
}

Expr CountRows() { return MakeCall("count_rows", {}); }
Expr RowNumber() { return MakeCall("row_number", {}); }
Expr Rank() { return MakeCall("rank", {}); }
Expr DenseRank() { return MakeCall("dense_rank", {}); }
Expr CountOf(Expr value) { return MakeCall("count", {std::move(value)}); }
Expr CountDistinct(Expr value) { return MakeCall("count_distinct", {std::move(value)}); }
Expr Sum(Expr value) { return MakeCall("sum", {std::move(value)}); }
Expr Avg(Expr value) { return MakeCall("avg", {std::move(value)}); }
Expr Min(Expr value) { return MakeCall("min", {std::move(value)}); }
Expr Max(Expr value) { return MakeCall("max", {std::move(value)}); }
Expr Median(Expr value) { return MakeCall("median", {std::move(value)}); }
Expr StdDev(Expr value) { return MakeCall("stddev", {std::move(value)}); }
Expr Variance(Expr value) { return MakeCall("variance", {std::move(value)}); }
Expr AnyTrue(Expr value) { return MakeCall("any_true", {std::move(value)}); }
Expr AllTrue(Expr value) { return MakeCall("all_true", {std::move(value)}); }
Expr MinBy(Expr value, Expr by) { return Binary("min_by", std::move(value), std::move(by)); }
Expr MaxBy(Expr value, Expr by) { return Binary("max_by", std::move(value), std::move(by)); }
Expr Lag(Expr value, int64_t rows) { return Binary("lag", std::move(value), Lit(rows)); }
Expr Lead(Expr value, int64_t rows) { return Binary("lead", std::move(value), Lit(rows)); }

SortKey Asc(std::string column) { return {std::move(column), false}; }
SortKey Desc(std::string column) { return {std::move(column), true}; }

}  // namespace protium
