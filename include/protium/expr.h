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
// three-valued.
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
