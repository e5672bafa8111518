// SPDX-License-Identifier: Apache-2.0
// The functions that expressions know. To add one: a row in functions.cc, its spelling in the SQL
// of every engine in sql/functions/expressions.cc, and a parity case.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "protium/expr.h"

namespace protium {

struct Function {
  std::string_view name;
  int32_t fewest = 0;  // Arguments.
  int32_t most = 0;    // -1: any number.
};

// All of them, by name.
std::span<const Function> Functions();

// Gives nullptr for a name that is not in the table.
const Function* FindFunction(std::string_view name);

// Finds an unknown function or a wrong number of arguments anywhere in `expr`.
Status Check(const Expr& expr);

// Renders for people: (hour < 6) and (origin = 'JFK').
std::string ToText(const Expr& expr);

}  // namespace protium
