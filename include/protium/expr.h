// SPDX-License-Identifier: Apache-2.0
// Expressions over the columns of a table: small immutable trees that each engine spells in its own
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

// A column, a literal, or the call of a function. Operators are functions like any other: "+",
// "and", "=", "is_null", "coalesce", "cast_double", ...; plan/functions.h lists them all.
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

// `function` is one that plan/functions.h lists; an unknown one fails at the first action.
Expr Col(std::string name);
Expr Lit(Literal value);
Expr MakeCall(std::string function, std::vector<Expr> arguments);

// SQL's operators with SQL's NULLs: the comparisons give NULL for a NULL operand, and && and || are
// three-valued. A plain value may stand on either side: Col("price") * 2 > 5, Col("origin") ==
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

// Of the rows of a group or a window: for Groups::Aggregate() and DataFrame::Window() alone. NULL
// values are left out; of no value at all, counts are 0 and everything else is NULL. They may stand
// within expressions: Sum(Col("late") * 1.0) / CountRows().
Expr CountRows();
Expr CountOf(Expr value);  // Of the values that are not NULL.
Expr CountDistinct(Expr value);
Expr Sum(Expr value);
Expr Avg(Expr value);
Expr Min(Expr value);
Expr Max(Expr value);
Expr Median(Expr value);    // Between the two middle ones, their mean.
Expr StdDev(Expr value);    // Of a sample: divided by n - 1.
Expr Variance(Expr value);  // Likewise.
Expr AnyTrue(Expr flag);
Expr AllTrue(Expr flag);
// `value` in the row in which `by` is smallest or largest; any of them where several are.
Expr MinBy(Expr value, Expr by);
Expr MaxBy(Expr value, Expr by);

// For DataFrame::Window() alone, with an order. Ranks are from 1; rows that are equal in the order
// share a Rank() and leave a gap behind it, or share a DenseRank() and leave none.
Expr RowNumber();
Expr Rank();
Expr DenseRank();
// `value` so many rows before or after; NULL where there is no such row.
Expr Lag(Expr value, int64_t rows = 1);
Expr Lead(Expr value, int64_t rows = 1);

// A column to sort by. NULL comes first in ascending order and last in descending, as in Spark.
struct SortKey {
  std::string column;
  bool descending = false;
};
SortKey Asc(std::string column);
SortKey Desc(std::string column);

}  // namespace protium
