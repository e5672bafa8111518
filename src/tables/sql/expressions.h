// SPDX-License-Identifier: Apache-2.0
// How each engine's SQL spells the functions of expressions (plan/functions.h). To add one: a row
// there with its name and number of arguments, a row here, and a parity case.
#pragma once

#include <span>
#include <string_view>

namespace protium {

// $1, $2, ... stand for the arguments, $* for all of them and $+ for all but the first, separated
// by commas. An argument is a name, a literal, a call or something in parentheses, and so is every
// spelling: nesting needs no rules of precedence. Both spellings give the same value for the same
// arguments, to the last bit of a double, or both fail.
struct ExprSpelling {
  std::string_view name;
  std::string_view duckdb;
  std::string_view spark;
};

// One row for each function of plan/functions.h, by name.
std::span<const ExprSpelling> ExprSpellings();

// Returns nullptr for a name that is not in the table.
const ExprSpelling* FindExprSpelling(std::string_view name);

}  // namespace protium
