// SPDX-License-Identifier: Apache-2.0
// Which columns and comparisons of a query go to the sources below it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// Adds to `reads` (EnginePlan::reads) what DuckDB's plan of `select` says of each source that
// `reads` does not have yet. A source is recognised by its kind, or among several of a kind by its
// table: two of the same name are left out. Moves no data; says nothing where there is no plan.
void AddReads(const duck::Connection& connection, const std::string& select,
              const std::vector<Source>& sources, Json& reads);

}  // namespace protium
