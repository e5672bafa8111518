// SPDX-License-Identifier: Apache-2.0
// Expressions of operators side by side, and the same with all parentheses that Spark's precedence
// means. Written down apart from what reads SQL: by splitting at the loosest operator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace protium {

struct Precedence {
  std::string text;                    // NOT a | b & c
  std::optional<std::string> grouped;  // NOT ((a) | ((b) & (c))); nothing where Spark reads none.
};

// All expressions of so many operators, in a fixed order.
std::vector<Precedence> AllOperators(size_t operators);

}  // namespace protium
