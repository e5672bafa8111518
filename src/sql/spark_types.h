// SPDX-License-Identifier: Apache-2.0
// Names of types after CAST ... AS and ::, respelt from Spark's to DuckDB's.
#pragma once

#include "base/status.h"
#include "sql/spelling.h"

namespace protium {

// Reads the type at the current token, moves past it, and edits it to DuckDB's name: array<decimal>
// becomes DECIMAL(10, 0)[]. Types that Spark lacks, and collations, are refused (kUsage).
Status SpellType(Spelling& sql);

}  // namespace protium
