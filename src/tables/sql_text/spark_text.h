// SPDX-License-Identifier: Apache-2.0
// The first step with a user's SQL: turns Spark's text into text that DuckDB's parser groups and
// reads as Spark would. It looks only at words; what functions and types mean is decided later
// (sql/check.h, sql_types/typer.h).
#pragma once

#include <string>

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// Encloses operands in parentheses where the two grammars group them differently, and respells what
// the two write differently:
//   1 | 2 & a            1 | (2 & a)
//   1.5D 7L 1.5BD        CAST('1.5' AS DOUBLE), CAST('7' AS BIGINT), 1.5
//   'a\tb' r'\d'         the text itself; both 'it''s' and 'it\'s' are it's
//   `name`               "name"
//   a <=> b              a IS NOT DISTINCT FROM b
//   a div b              a // b, which stands for whole division
//   a RLIKE b            a ~ b, which stands for a match anywhere
//   CAST(a AS DECIMAL)   CAST(a AS DECIMAL(10, 0))
//   LEFT SEMI JOIN       SEMI JOIN; the same for ANTI
//   double(x) at         "double"(x) "at": words that only DuckDB reserves
// Refuses (kUsage, with the position) what only DuckDB has, what its parser has no form for, and
// what is never closed. The result has marks that lead from its offsets back to those of `sql`.
Result<DuckText> FromSpark(const std::string& sql);

}  // namespace protium
