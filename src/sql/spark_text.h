// SPDX-License-Identifier: Apache-2.0
// Spark's SQL as text that DuckDB can parse: words and literals that the two write differently.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct DuckText {
  std::string text;
  // (offset in `text`, offset in the original), ascending: where the two run apart.
  std::vector<std::pair<size_t, size_t>> marks;

  // The offset in the original of an offset in `text`.
  size_t Origin(size_t offset) const;
};

// Rewrites, token by token:
//   1.5D 7L 1.5BD        CAST('1.5' AS DOUBLE), CAST('7' AS BIGINT), 1.5
//   'a\tb' r'\d'         the text itself; both 'it''s' and 'it\'s' are it's
//   `name`               "name"
//   a <=> b              a IS NOT DISTINCT FROM b
//   a div b              a // b, which stands for whole division
//   a RLIKE b            a ~ b, which stands for a match anywhere
//   LEFT SEMI JOIN       SEMI JOIN; ANTI alike
//   TIMESTAMP_NTZ        TIMESTAMP
//   double(x) at         "double"(x) "at": words that only DuckDB reserves
// Operators that only DuckDB has are refused.
Result<DuckText> FromSpark(const std::string& sql);

// "the SQL text, line 2, column 8".
std::string PlaceIn(const std::string& sql, size_t offset);

}  // namespace protium
