// SPDX-License-Identifier: Apache-2.0
// Expressions over the columns of a table: small values that engines write as SQL. Building one
// never fails; columns and types are checked by what acts on the table. Implemented by the room
// plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace protium {

using Columns = std::vector<std::string>;

// NULL, true, 7, 0.5, 'text'.
using Literal = std::variant<std::monostate, bool, int64_t, double, std::string>;

// Operators are functions too ("+", "and", "=", "is_null", "coalesce", "case_when", "cast_double",
// ...); plan/functions.h has the table of all.
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
