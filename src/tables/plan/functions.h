// SPDX-License-Identifier: Apache-2.0
// The functions that expressions may call, with their numbers of arguments. Each means the same on
// every engine: the same value, to the last bit of a double, or an error on all of them.
// sql/spellings.h says how each engine spells them. To add one: a row in functions.cc, its
// spellings there, and a parity case.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "protium/expr.h"

namespace protium {

// One row of the table.
struct Function {
  std::string_view name;
  int32_t fewest = 0;  // Arguments.
  int32_t most = 0;    // -1: any number.
};

// Returns all of them, sorted by name.
std::span<const Function> Functions();

// Returns nullptr for a name that is not in the table.
const Function* FindFunction(std::string_view name);

// Refuses (kUsage) an unknown function, naming the nearest known one, or a wrong number of
// arguments anywhere in `expr`. Engines check the types.
Status Check(const Expr& expr);

// Returns the expression as people write it: ((hour < 6) and (origin = 'JFK')). Not SQL: nothing is
// escaped.
std::string ToText(const Expr& expr);

}  // namespace protium
