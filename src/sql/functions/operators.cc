// SPDX-License-Identifier: Apache-2.0
// Operators, by the signs that DuckDB's parser calls them. Division and remainder by zero are
// errors in ANSI mode; no infinities come of them.
#include "sql/functions/table.h"

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
    Macro("//",
          "(a, b) AS CAST(CASE WHEN b <> 0 THEN system.main.\"//\"(a, b) WHEN a IS NOT NULL AND b "
          "= 0 THEN error('division by zero') END AS BIGINT)"),
    Macro("<<",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_left_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_left(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro(">>",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_right_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_right(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro("^", "(a, b) AS xor(a, b)"),
    Refused("^@", kOneSide, "use startswith(text, start)"),
    Same("|"),
    Same("||"),
    Same("~"),
    Same("~~").Typed("t", 'B'),
    Same("~~*").Typed("t", 'B'),
};
static_assert(AreInOrder(kOperators));

}  // namespace

std::span<const SqlFunction> functions::Operators() { return kOperators; }

}  // namespace protium
