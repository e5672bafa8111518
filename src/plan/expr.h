// SPDX-License-Identifier: Apache-2.0
// Expressions over the columns of a table: small values that engines write as SQL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace protium {

// NULL, true, 7, 0.5, 'text'.
using Literal = std::variant<std::monostate, bool, int64_t, double, std::string>;

// A call's function is a row of the table in plan/functions.h: operators are functions too
// ("+", "and", "=", "is_null", "coalesce", "case_when", "cast_double", ...).
struct Expr {
  enum class Kind { kColumn, kLiteral, kCall };
  Kind kind = Kind::kLiteral;
  std::string name;  // The column's or the function's.
  Literal value;
  std::vector<Expr> arguments;
};

struct NamedExpr {
  std::string name;
  Expr expr;
};

Expr Col(std::string name);
Expr Lit(Literal value);
Expr CallOf(std::string function, std::vector<Expr> arguments);

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

}  // namespace protium
