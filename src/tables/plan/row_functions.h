// SPDX-License-Identifier: Apache-2.0
// Functions of expressions over values at hand: those whose every argument is computed for every
// row. What looks at rows one by one (if, coalesce, and, or, error, pick) is in row_values.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/row_values.h"

namespace protium {

// The kind of such a call with arguments of these kinds; nullopt: it is none that all engines
// compute alike.
std::optional<RowValues::Kind> KindOfFunction(const std::string& name,
                                              const std::vector<RowValues::Kind>& kinds);

// The values of a call that has a kind.
RowValues Called(const std::string& name, std::vector<RowValues> arguments);

}  // namespace protium
