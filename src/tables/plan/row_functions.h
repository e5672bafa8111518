// SPDX-License-Identifier: Apache-2.0
// Functions of expressions over computed values: those whose every argument is computed for every
// row. Functions that decide row by row (if, coalesce, and, or, error, pick) are in row_values.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/row_values.h"

namespace protium {

// Returns the kind of a call with arguments of these kinds; nullopt if not all engines compute it
// alike.
std::optional<RowValues::Kind> KindOfFunction(const std::string& name,
                                              const std::vector<RowValues::Kind>& kinds);

// Returns the values of a call that has a kind.
RowValues Called(const std::string& name, std::vector<RowValues> arguments);

}  // namespace protium
