// SPDX-License-Identifier: Apache-2.0
// How SQL spells the functions of expressions (plan/functions.h): one table for all engines, and
// one of each dialect for its exceptions (sql/duckdb/dialect.cc, sql/spark/dialect.cc). To add a
// function, add a row there with its name and number of arguments, a row here or in every dialect,
// and a parity case.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace protium {

// $1, $2, ... stand for the arguments, $* for all of them and $+ for all but the first, separated
// by commas. An argument is a name, a literal, a call or something in parentheses, and so is every
// spelling, so nesting needs no rules of precedence. All spellings of a name give the same value
// for the same arguments, to the last bit of a double, or all fail.
struct ExprSpelling {
  std::string_view name;
  std::string_view text;
};

// The spellings that no dialect overrides. Sorted by name, as are those of a dialect.
std::span<const ExprSpelling> CommonSpellings();

// Returns the spelling in `own`, or else the common one; empty for a name that is in neither.
std::string_view FindSpelling(std::string_view name, std::span<const ExprSpelling> own);

}  // namespace protium
