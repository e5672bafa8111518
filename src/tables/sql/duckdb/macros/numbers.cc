// SPDX-License-Identifier: Apache-2.0
// Arithmetic beyond operators. Outside a function's domain, Spark follows java.lang.Math and
// returns NaN or an infinity, or NULL for logarithms, while DuckDB fails: hence the CASE in most of
// these macros.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kNumbers[] = {
    {"acos", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.acos(x) END"},
    {"acosh", "(x) AS CASE WHEN x < 1 THEN 'NaN'::DOUBLE ELSE system.main.acosh(x) END"},
    {"asin", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.asin(x) END"},
    {"atanh",
     "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE WHEN x = 1 THEN 'Infinity'::DOUBLE "
     "WHEN x = -1 THEN '-Infinity'::DOUBLE ELSE system.main.atanh(x) END"},
    // DuckDB has no bit_count() for BOOLEAN.
    {"bit_count",
     "(x) AS CASE WHEN typeof(x) = 'BOOLEAN' THEN CAST(TRY_CAST(x AS BOOLEAN) AS INTEGER) "
     "ELSE system.main.bit_count(TRY_CAST(x AS BIGINT)) END"},
    {"bit_get", "(x, place) AS pt_bit(x, place)"},
    // Halves go to the even digit in bround(), away from zero in round().
    {"bround", "(x) AS pt_bround(x), (x, d) AS pt_bround(x, d)"},
    {"cbrt", "(x) AS pt_cbrt(x)"},
    // A BIGINT in Spark, a DOUBLE in DuckDB; for a double beyond 64 bits the nearest BIGINT, as
    // Java casts.
    {"ceil",
     "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
     "pt_saturated(system.main.ceil(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.ceil(x) AS "
     "BIGINT) END, (x, d) AS error('ceil with a number of digits is not supported by every "
     "engine')"},
    {"ceiling",
     "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
     "pt_saturated(system.main.ceil(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.ceil(x) AS "
     "BIGINT) END, (x, d) AS error('ceiling with a number of digits is not supported by every "
     "engine')"},
    // pt_finite() makes an infinity NaN, since DuckDB fails for it.
    {"cos", "(x) AS system.main.cos(pt_finite(x))"},
    {"cot",
     "(x) AS CASE WHEN x = 0 THEN 'Infinity'::DOUBLE ELSE system.main.cot(pt_finite(x)) END"},
    {"csc",
     "(x) AS CASE WHEN x = 0 THEN 'Infinity'::DOUBLE ELSE system.main.\"/\"(1, "
     "system.main.sin(pt_finite(x))) END"},
    {"e", "() AS CAST('2.718281828459045' AS DOUBLE)"},
    {"expm1", "(x) AS pt_expm1(x)"},
    {"factorial", "(n) AS pt_factorial(CAST(n AS INTEGER))"},
    {"floor",
     "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
     "pt_saturated(system.main.floor(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.floor(x) "
     "AS BIGINT) END, (x, d) AS error('floor with a number of digits is not supported by every "
     "engine')"},
    {"getbit", "(x, place) AS pt_bit(x, place)"},
    {"hypot", "(a, b) AS pt_hypot(a, b)"},
    // Logarithms and expm1() are those of Java's StrictMath, to the last bit.
    {"ln", "(x) AS pt_ln(x)"},
    // With one argument, the natural logarithm here and the decimal one in DuckDB.
    {"log", "(x) AS pt_ln(x), (b, x) AS system.main.\"/\"(pt_ln(x), pt_ln(b))"},
    {"log10", "(x) AS CASE WHEN x > 0 THEN system.main.log10(x) END"},
    {"log1p", "(x) AS pt_log1p(x)"},
    {"log2", "(x) AS system.main.\"/\"(pt_ln(x), pt_ln(2))"},
    {"mod", "(a, b) AS a % b"},
    {"negative", "(x) AS -x"},
    // Never negative for a positive divisor.
    {"pmod", "(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END"},
    {"positive", "(x) AS x"},
    {"rint", "(x) AS system.main.round_even(CAST(x AS DOUBLE), 0)"},
    {"round", "(x) AS pt_round(x), (x, d) AS pt_round(x, d)"},
    {"sec", "(x) AS system.main.\"/\"(1, system.main.cos(pt_finite(x)))"},
    // As in Java, the type of the value decides the width, and the count is taken modulo the width;
    // DuckDB's << fails for negative values and for counts out of range.
    {"shiftleft",
     "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
     "pt_shift_left_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
     "pt_shift_left(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"},
    {"shiftright",
     "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
     "pt_shift_right_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
     "pt_shift_right(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"},
    {"shiftrightunsigned",
     "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
     "pt_shift_right_unsigned_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
     "pt_shift_right_unsigned(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"},
    {"sign",
     "(x) AS CASE WHEN isnan(x) OR x = 0 THEN CAST(x AS DOUBLE) ELSE "
     "CAST(system.main.sign(x) AS DOUBLE) END"},
    {"signum", "(x) AS sign(x)"},
    {"sin", "(x) AS system.main.sin(pt_finite(x))"},
    {"sqrt", "(x) AS CASE WHEN x < 0 THEN 'NaN'::DOUBLE ELSE system.main.sqrt(x) END"},
    {"tan", "(x) AS system.main.tan(pt_finite(x))"},
    // For what TypeTried() (sql_types/arithmetic.cc) has not replaced. TRY() turns an overflow into
    // NULL.
    {"try_add", "(a, b) AS TRY(a + b)"},
    {"try_divide", "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) END"},
    {"try_mod", "(a, b) AS CASE WHEN b <> 0 THEN a % b END"},
    {"try_multiply", "(a, b) AS TRY(a * b)"},
    {"try_subtract", "(a, b) AS TRY(a - b)"},
    {"width_bucket", "(v, low, high, n) AS pt_width_bucket(v, low, high, n)"},
};

}  // namespace

std::span<const Macro> macros::Numbers() { return kNumbers; }

}  // namespace protium
