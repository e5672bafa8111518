// SPDX-License-Identifier: Apache-2.0
// What is asked of the folder of a table, here or at an object store: DuckDB's glob and readers do
// both alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// The source's objects as a list in DuckDB's SQL.
std::string ObjectList(const Source& source);

// The fault of a place that holds no table of the source's kind.
Status NoTable(const Source& source, std::string why);

// The values of `column` in `from`, which are texts, sorted. Faults are those of the place.
Result<std::vector<std::string>> AskSource(const duck::Connection& connection, const Source& source,
                                           const std::string& column, const std::string& from);

// The whole number that a file's name begins with, perhaps after a "v"; -1 if it does not. `rest`
// is what follows.
int64_t NumberOf(const std::string& file, std::string_view& rest);

// The version that was current at source.as_of. `column` are texts of a moment in microseconds and
// a version's name, NumberOf().
Result<int64_t> VersionAt(const duck::Connection& connection, const Source& source,
                          const std::string& column, const std::string& from);

}  // namespace protium
