// SPDX-License-Identifier: Apache-2.0
// How the functions of expressions (plan/functions.h) are written in the SQL of each engine. To add
// a function: a row there with its name and arguments, a row here, and a parity case.
#pragma once

#include <span>
#include <string_view>

namespace protium {

// $1, $2, ... stand for arguments, $* for all of them and $+ for all but the first, separated by
// commas. Arguments come in parentheses or as calls, so that they hold together where they stand.
// Both spellings give the same value for the same arguments, or both fail.
struct ExprSpelling {
  std::string_view name;
  std::string_view duckdb;
  std::string_view spark;
};

// One row for each function of plan/functions.h, by name.
std::span<const ExprSpelling> ExprSpellings();

// Gives nullptr for a name that is not in the table.
const ExprSpelling* FindExprSpelling(std::string_view name);

}  // namespace protium
