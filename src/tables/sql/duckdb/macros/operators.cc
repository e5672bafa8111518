// SPDX-License-Identifier: Apache-2.0
// Operators. In ANSI mode division and remainder by zero are errors, where DuckDB returns an
// infinity or NULL. If a or b is NULL the result is NULL, also for b = 0.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kOperators[] = {
    {"!", "(a) AS NOT a"},
    {"%",
     "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"%\"(a, b) WHEN a IS NOT NULL AND b = 0 "
     "THEN error('remainder by zero') END"},
    {"/",
     "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) WHEN a IS NOT NULL AND b = 0 "
     "THEN error('division by zero') END"},
    // Spark's div is a BIGINT whatever its operands are.
    {"//",
     "(a, b) AS CAST(CASE WHEN b <> 0 THEN system.main.\"//\"(a, b) WHEN a IS NOT NULL AND b "
     "= 0 THEN error('division by zero') END AS BIGINT)"},
    // See shiftleft() in numbers.cc.
    {"<<",
     "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
     "pt_shift_left_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
     "pt_shift_left(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"},
    {">>",
     "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
     "pt_shift_right_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
     "pt_shift_right(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"},
    // A power in DuckDB.
    {"^", "(a, b) AS xor(a, b)"},
};

}  // namespace

std::span<const Macro> macros::Operators() { return kOperators; }

}  // namespace protium
