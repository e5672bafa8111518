// SPDX-License-Identifier: Apache-2.0
// Names of types after CAST ... AS and ::, from Spark's to DuckDB's.
#pragma once

#include "base/status.h"
#include "sql/spelling.h"

namespace protium {

// Reads the type that comes next, as CAST names it in Spark, and writes it as DuckDB does:
// array<decimal> is DECIMAL(10, 0)[]. Types that Spark has not got are refused.
Status SpellType(Spelling& sql);

}  // namespace protium
