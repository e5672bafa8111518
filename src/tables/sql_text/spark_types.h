// SPDX-License-Identifier: Apache-2.0
// Names of types after CAST ... AS and ::, respelt from Spark's to DuckDB's.
#pragma once

#include <string>

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// Reads the type at the current token, moves past it, and edits it to DuckDB's name: array<decimal>
// becomes DECIMAL(10, 0)[]. Refuses (kUsage) types that Spark lacks, and collations.
Status SpellType(Spelling& sql);

// Returns the DuckDB name of the type given to from_json(): a Spark type, or the names and types of
// a struct's fields, "a INT, b STRING". If it is neither, it is refused at the current token of
// `sql`.
Result<std::string> SpellSchema(const std::string& schema, const Spelling& sql);

}  // namespace protium
