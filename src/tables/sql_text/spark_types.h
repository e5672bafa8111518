// SPDX-License-Identifier: Apache-2.0
// Names of types after CAST ... AS and ::, respelt from Spark's to DuckDB's.
#pragma once

#include <string>

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// Reads the type at the current token, moves past it, and edits it to DuckDB's name: array<decimal>
// becomes DECIMAL(10, 0)[]. Types that Spark lacks, and collations, are refused (kUsage).
Status SpellType(Spelling& sql);

// The DuckDB name of the type that from_json() is given: a type of Spark's, or the names and types
// of a struct's fields, "a INT, b STRING". Refused at the current token of `sql` if it is neither.
Result<std::string> SpellSchema(const std::string& schema, const Spelling& sql);

}  // namespace protium
