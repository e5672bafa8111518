// SPDX-License-Identifier: Apache-2.0
// Spark's SQL as text that DuckDB's parser reads alike.
#pragma once

#include <string>

#include "base/status.h"
#include "sql/spelling.h"

namespace protium {

// Gives each operation the operands that it has in Spark, by parentheses, and spells what the two
// write differently:
//   1 | 2 & a            1 | (2 & a)
//   1.5D 7L 1.5BD        CAST('1.5' AS DOUBLE), CAST('7' AS BIGINT), 1.5
//   'a\tb' r'\d'         the text itself; both 'it''s' and 'it\'s' are it's
//   `name`               "name"
//   a <=> b              a IS NOT DISTINCT FROM b
//   a div b              a // b, which stands for whole division
//   a RLIKE b            a ~ b, which stands for a match anywhere
//   CAST(a AS DECIMAL)   CAST(a AS DECIMAL(10, 0))
//   LEFT SEMI JOIN       SEMI JOIN; ANTI alike
//   double(x) at         "double"(x) "at": words that only DuckDB reserves
// What only DuckDB has is refused, as is what its parser cannot read at all.
Result<DuckText> FromSpark(const std::string& sql);

}  // namespace protium
