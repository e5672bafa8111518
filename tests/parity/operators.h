// SPDX-License-Identifier: Apache-2.0
// Expressions of several operators, and the same with all parentheses that Spark's precedence
// implies. Independent of the code that reads SQL: splits at the loosest operator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace protium {

struct Precedence {
  std::string text;                    // NOT a | b & c
  std::optional<std::string> grouped;  // NOT ((a) | ((b) & (c))); none if Spark does not accept it.
};

// All expressions of this many operators, in a fixed order.
std::vector<Precedence> AllOperators(size_t operators);

}  // namespace protium
