// SPDX-License-Identifier: Apache-2.0
// Writes the files of a Scan node as a SELECT for DuckDB. Types come from the plan's schema, never
// from DuckDB's sniffing, so that every engine reads the same values.
#pragma once

#include <string>

#include "plan/node.h"

namespace protium {

// Returns a SELECT of all columns in the order of the schema: first those in the files, then those
// in the names of their folders. `rows` is an estimate for the optimiser, -1 if unknown. Refuses
// (kInput) types that TypeText() does not know, and a column called file_index beside partitions.
Result<std::string> DuckDbScan(const Scan& scan, int64_t rows);

// Returns a SELECT of a source, which the engine has made readable as SourceView(*table.source).
// Refuses (kUsage) a table of Spark's catalogue.
Result<std::string> DuckDbNamed(const NamedTable& table);

// Returns the glob pattern that matches the file `path` and no other.
std::string DuckDbPath(const std::string& path);

// Returns the name under which the source's database is attached; the same for all tables of it.
std::string AttachedName(const Source& source);
// Returns the name of the view of a source, as plans show it.
std::string SourceView(const Source& source);

}  // namespace protium
