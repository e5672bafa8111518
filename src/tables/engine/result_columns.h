// SPDX-License-Identifier: Apache-2.0
// The columns of a query's result on their way into a table: each gets a unique name and a type
// that tables support, whatever the engine computed it in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct ResultColumn {
  std::string name;    // As messages show it.
  std::string quoted;  // As the engine's SQL writes it.
  // The expression that converts it to a type that tables support, with {} for the column; empty:
  // it has one.
  std::string conversion;
};

// Returns the SELECT list that converts the query's columns; empty if none needs it. Two columns
// with the same name are a fault (kUsage).
Result<std::string> ConvertedColumns(const std::vector<ResultColumn>& columns);

}  // namespace protium
