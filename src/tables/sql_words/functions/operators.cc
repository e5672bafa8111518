// SPDX-License-Identifier: Apache-2.0
// Operators, under the names that DuckDB's parser gives them. In ANSI mode division and remainder
// by zero are errors, where DuckDB returns an infinity or NULL. If a or b is NULL the answer is
// NULL, also for b = 0.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kOperators[] = {
    Macro("!", "(a) AS NOT a"),
    Refused("!~", kOneSide, "use NOT regexp_like(text, pattern)"),
    Same("!~~").Typed("t", 'B'),
    Same("!~~*").Typed("t", 'B'),
    Macro("%",
          "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"%\"(a, b) WHEN a IS NOT NULL AND b = 0 "
          "THEN error('remainder by zero') END"),
    Same("&"),
    Same("*"),
    Refused("**", kOneSide, "use power(a, b)"),
    Same("+"),
    Same("-"),
    Refused("->", kOneSide, ""),
    Refused("->>", kOneSide, ""),
    Macro("/",
          "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) WHEN a IS NOT NULL AND b = 0 "
          "THEN error('division by zero') END"),
    // Spark's div is a BIGINT whatever its operands.
    Macro("//",
          "(a, b) AS CAST(CASE WHEN b <> 0 THEN system.main.\"//\"(a, b) WHEN a IS NOT NULL AND b "
          "= 0 THEN error('division by zero') END AS BIGINT)"),
    // See shiftleft() in numbers.cc.
    Macro("<<",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_left_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_left(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro(">>",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_right_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_right(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    // A power in DuckDB.
    Macro("^", "(a, b) AS xor(a, b)"),
    Refused("^@", kOneSide, "use startswith(text, start)"),
    Same("|"),
    Same("||"),
    Same("~"),
    // LIKE and ILIKE, for patterns that LikeRule leaves as they are.
    Same("~~").Typed("t", 'B'),
    Same("~~*").Typed("t", 'B'),
};
static_assert(AreInOrder(kOperators));

}  // namespace

std::span<const SqlFunction> functions::Operators() { return kOperators; }

}  // namespace protium
