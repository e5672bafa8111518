// SPDX-License-Identifier: Apache-2.0
// Arithmetic beyond operators. Where an argument lies outside a function's domain, Spark follows
// java.lang.Math and returns NaN or an infinity, or NULL for logarithms, and DuckDB fails: the CASE
// in most of these macros. What the C library and Java compute to a different last bit is NotExact.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kNumbers[] = {
    Same("abs"),
    Macro("acos", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.acos(x) END")
        .Typed("n", 'N'),
    NotExact("acosh", kLastBit,
             "(x) AS CASE WHEN x < 1 THEN 'NaN'::DOUBLE ELSE system.main.acosh(x) END"),
    Macro("asin", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.asin(x) END")
        .Typed("n", 'N'),
    NotExact("asinh", kLastBit),
    NotExact("atan", kLastBit).Typed("n", 'N'),
    NotExact("atan2", kLastBit).Typed("n", 'N'),
    NotExact("atanh", kLastBit,
             "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE WHEN x = 1 THEN 'Infinity'::DOUBLE "
             "WHEN x = -1 THEN '-Infinity'::DOUBLE ELSE system.main.atanh(x) END"),
    // DuckDB has none for BOOLEAN.
    Macro("bit_count",
          "(x) AS CASE WHEN typeof(x) = 'BOOLEAN' THEN CAST(TRY_CAST(x AS BOOLEAN) AS INTEGER) "
          "ELSE system.main.bit_count(TRY_CAST(x AS BIGINT)) END")
        .Typed("w", 'i'),
    Macro("bit_get", "(x, place) AS pt_bit(x, place)").Typed("wi", 'y'),
    // Halves go to the even digit in bround(), away from zero in round().
    Macro("bround", "(x) AS pt_bround(x), (x, d) AS pt_bround(x, d)"),
    Macro("cbrt", "(x) AS pt_cbrt(x)").Typed("n", 'N'),
    // A BIGINT in Spark, a DOUBLE in DuckDB; of a double beyond 64 bits the nearest BIGINT, as Java
    // casts.
    Macro("ceil",
          "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
          "pt_saturated(system.main.ceil(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.ceil(x) AS "
          "BIGINT) END, (x, d) AS error('ceil with a number of digits is not supported by every "
          "engine')"),
    Macro("ceiling",
          "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
          "pt_saturated(system.main.ceil(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.ceil(x) AS "
          "BIGINT) END, (x, d) AS error('ceiling with a number of digits is not supported by every "
          "engine')"),
    // pt_finite() makes NaN of an infinity: DuckDB fails.
    NotExact("cos", kLastBit, "(x) AS system.main.cos(pt_finite(x))").Typed("n", 'N'),
    NotExact("cosh", kLastBit).Typed("n", 'N'),
    NotExact(
        "cot", kLastBit,
        "(x) AS CASE WHEN x = 0 THEN 'Infinity'::DOUBLE ELSE system.main.cot(pt_finite(x)) END"),
    NotExact("csc", kLastBit,
             "(x) AS CASE WHEN x = 0 THEN 'Infinity'::DOUBLE ELSE system.main.\"/\"(1, "
             "system.main.sin(pt_finite(x))) END"),
    NotExact("degrees", kLastBit).Typed("n", 'N'),
    Macro("e", "() AS CAST('2.718281828459045' AS DOUBLE)"),
    NotExact("exp", kLastBit).Typed("n", 'N'),
    Macro("expm1", "(x) AS pt_expm1(x)").Typed("n", 'N'),
    Macro("factorial", "(n) AS pt_factorial(CAST(n AS INTEGER))"),
    Macro(
        "floor",
        "(x) AS CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
        "pt_saturated(system.main.floor(TRY_CAST(x AS DOUBLE))) ELSE CAST(system.main.floor(x) "
        "AS BIGINT) END, (x, d) AS error('floor with a number of digits is not supported by every "
        "engine')"),
    Macro("getbit", "(x, place) AS pt_bit(x, place)").Typed("wi", 'y'),
    NotExact("hypot", kLastBit, "(a, b) AS pt_hypot(a, b)"),
    // Logarithms and expm1() are those of Java's StrictMath, to the last bit.
    Macro("ln", "(x) AS pt_ln(x)").Typed("n", 'N'),
    // One argument is the natural logarithm here and the decimal one in DuckDB.
    Macro("log", "(x) AS pt_ln(x), (b, x) AS system.main.\"/\"(pt_ln(x), pt_ln(b))")
        .Typed("n", 'N'),
    NotExact("log10", kLastBit, "(x) AS CASE WHEN x > 0 THEN system.main.log10(x) END")
        .Typed("n", 'N'),
    Macro("log1p", "(x) AS pt_log1p(x)").Typed("n", 'N'),
    Macro("log2", "(x) AS system.main.\"/\"(pt_ln(x), pt_ln(2))").Typed("n", 'N'),
    Macro("mod", "(a, b) AS a % b"),
    Macro("negative", "(x) AS -x"),
    Same("pi"),
    // Never negative for a positive divisor.
    Macro("pmod", "(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END"),
    Macro("positive", "(x) AS x"),
    NotExact("pow", kLastBit).Typed("n", 'N'),
    NotExact("power", kLastBit).Typed("n", 'N'),
    NotExact("radians", kLastBit).Typed("n", 'N'),
    Refused("rand", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Refused("randn", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Refused("random", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Macro("rint", "(x) AS system.main.round_even(CAST(x AS DOUBLE), 0)").Typed("n", 'N'),
    Macro("round", "(x) AS pt_round(x), (x, d) AS pt_round(x, d)"),
    NotExact("sec", kLastBit, "(x) AS system.main.\"/\"(1, system.main.cos(pt_finite(x)))"),
    // As in Java, the type of the value decides the width, and the count is taken modulo the width;
    // DuckDB's << fails for negative values and for counts out of range.
    Macro("shiftleft",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_left_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_left(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro("shiftright",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_right_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_right(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro("shiftrightunsigned",
          "(a, b) AS CASE WHEN typeof(a) IN ('INTEGER', 'SMALLINT', 'TINYINT') THEN "
          "pt_shift_right_unsigned_int(TRY_CAST(a AS INTEGER), CAST(b AS INTEGER)) ELSE "
          "pt_shift_right_unsigned(TRY_CAST(a AS BIGINT), CAST(b AS INTEGER)) END"),
    Macro("sign",
          "(x) AS CASE WHEN isnan(x) OR x = 0 THEN CAST(x AS DOUBLE) ELSE "
          "CAST(system.main.sign(x) AS DOUBLE) END")
        .Typed("n", 'N'),
    Macro("signum", "(x) AS sign(x)").Typed("n", 'N'),
    NotExact("sin", kLastBit, "(x) AS system.main.sin(pt_finite(x))").Typed("n", 'N'),
    NotExact("sinh", kLastBit).Typed("n", 'N'),
    Macro("sqrt", "(x) AS CASE WHEN x < 0 THEN 'NaN'::DOUBLE ELSE system.main.sqrt(x) END")
        .Typed("n", 'N'),
    NotExact("tan", kLastBit, "(x) AS system.main.tan(pt_finite(x))").Typed("n", 'N'),
    NotExact("tanh", kLastBit).Typed("n", 'N'),
    // What TypeTried() (types/arithmetic.cc) has not replaced. TRY() turns an overflow into NULL.
    Macro("try_add", "(a, b) AS TRY(a + b)"),
    Macro("try_divide", "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) END"),
    Macro("try_mod", "(a, b) AS CASE WHEN b <> 0 THEN a % b END"),
    Macro("try_multiply", "(a, b) AS TRY(a * b)"),
    Macro("try_subtract", "(a, b) AS TRY(a - b)"),
    Refused("uniform", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Macro("width_bucket", "(v, low, high, n) AS pt_width_bucket(v, low, high, n)"),
};
static_assert(AreInOrder(kNumbers));

}  // namespace

std::span<const SqlFunction> functions::Numbers() { return kNumbers; }

}  // namespace protium
