// SPDX-License-Identifier: Apache-2.0
#include "protium/expr.h"

namespace protium {
namespace {

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
Expr operator==(Expr a, Expr b) { return Binary("=", std::move(a), std::move(b)); }
Expr operator!=(Expr a, Expr b) { return Binary("<>", std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return Binary("<", std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return Binary("<=", std::move(a), std::move(b)); }
Expr operator>(Expr a, Expr b) { return Binary(">", std::move(a), std::move(b)); }
Expr operator>=(Expr a, Expr b) { return Binary(">=", std::move(a), std::move(b)); }
Expr operator&&(Expr a, Expr b) { return Binary("and", std::move(a), std::move(b)); }
Expr operator||(Expr a, Expr b) { return Binary("or", std::move(a), std::move(b)); }
Expr operator!(Expr a) { return MakeCall("not", {std::move(a)}); }

}  // namespace protium
