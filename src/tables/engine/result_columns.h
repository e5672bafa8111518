// SPDX-License-Identifier: Apache-2.0
// The columns of a query's result on their way into a table: each has a name of its own and a type
// that tables carry, whatever the engine computed it in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct ResultColumn {
  std::string name;    // As messages tell it.
  std::string quoted;  // As the engine's SQL writes it.
  // What makes a type that tables carry of it, {} standing for the column; empty: it has one.
  std::string conversion;
};

// The list of a SELECT over the query that converts its columns; empty where none needs it. Two
// columns of one name are a fault (kUsage).
Result<std::string> ConvertedColumns(const std::vector<ResultColumn>& columns);

}  // namespace protium
