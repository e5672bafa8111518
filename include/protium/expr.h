// SPDX-License-Identifier: Apache-2.0
// Expressions over the columns of a table: small immutable trees that each engine writes in its own
// SQL. Building one never fails; unknown columns and wrong types are reported by the first action
// on the table. Implemented by the room plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace protium {

using Columns = std::vector<std::string>;

// In this order: NULL, true, 7, 0.5, 'text'.
using Literal = std::variant<std::monostate, bool, int64_t, double, std::string>;

// A column, a literal, or a function call. Operators are functions like any other: "+", "and", "=",
// "is_null", "coalesce", "cast_double", ...; plan/functions.h lists them all.
struct Expr {
  enum class Kind { kColumn, kLiteral, kCall };
  Kind kind = Kind::kLiteral;
  std::string name;             // Of the column or the function.
  Literal value;                // Of a literal.
  std::vector<Expr> arguments;  // Of a call.
};

struct NamedExpr {
  std::string name;
  Expr expr;
};

// `function` must be listed in plan/functions.h; an unknown one fails at the first action.
Expr Col(std::string name);
Expr Lit(Literal value);
Expr MakeCall(std::string function, std::vector<Expr> arguments);

// SQL's operators with SQL's treatment of NULL: comparisons return NULL for a NULL operand, and &&
// and
//
//  are three-valued. Either side may be a plain value: Col("price") * 2 > 5, Col("origin") ==
// "JFK".
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr operator+(Expr a, Literal b);
Expr operator-(Expr a, Literal b);
Expr operator*(Expr a, Literal b);
Expr operator/(Expr a, Literal b);
Expr operator==(Expr a, Literal b);
Expr operator!=(Expr a, Literal b);
Expr operator<(Expr a, Literal b);
Expr operator<=(Expr a, Literal b);
Expr operator>(Expr a, Literal b);
Expr operator>=(Expr a, Literal b);
Expr operator+(Literal a, Expr b);
Expr operator-(Literal a, Expr b);
Expr operator*(Literal a, Expr b);
Expr operator/(Literal a, Expr b);
Expr operator==(Literal a, Expr b);
Expr operator!=(Literal a, Expr b);
Expr operator<(Literal a, Expr b);
Expr operator<=(Literal a, Expr b);
Expr operator>(Literal a, Expr b);
Expr operator>=(Literal a, Expr b);

Expr IsNull(Expr value);
// The first value that is not NULL.
Expr Coalesce(std::vector<Expr> values);
// `then` where the condition is true, `otherwise` where it is false or NULL.
Expr If(Expr condition, Expr then, Expr otherwise);

// Aggregates over the rows of a group or a window, for Groups::Aggregate() and DataFrame::Window()
// only. They skip NULL values; if there are no values at all, counts are 0 and everything else is
// NULL. They may be part of larger expressions: Sum(Col("late") * 1.0) / CountRows().
Expr CountRows();
Expr CountOf(Expr value);  // Counts the values that are not NULL.
Expr CountDistinct(Expr value);
Expr Sum(Expr value);
Expr Avg(Expr value);
Expr Min(Expr value);
Expr Max(Expr value);
Expr Median(Expr value);    // For an even number of values, the mean of the middle two.
Expr StdDev(Expr value);    // Of a sample: the divisor is n - 1.
Expr Variance(Expr value);  // Likewise.
Expr AnyTrue(Expr flag);
Expr AllTrue(Expr flag);
// `value` in the row with the smallest or largest `by`; if several rows tie, any of them.
Expr MinBy(Expr value, Expr by);
Expr MaxBy(Expr value, Expr by);

// For DataFrame::Window() only, with an order. Ranks start at 1; rows that are equal in the order
// share a Rank(), which leaves a gap after it, or a DenseRank(), which leaves none.
Expr RowNumber();
Expr Rank();
Expr DenseRank();
// `value` that many rows before or after; NULL if there is no such row.
Expr Lag(Expr value, int64_t rows = 1);
Expr Lead(Expr value, int64_t rows = 1);

// A column to sort by. As in Spark, NULL comes first in ascending and last in descending order.
struct SortKey {
  std::string column;
  bool descending = false;
};
SortKey Asc(std::string column);
SortKey Desc(std::string column);

}  // namespace protium
