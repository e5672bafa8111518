// SPDX-License-Identifier: Apache-2.0
// The spellings of the functions that expressions call: those of programs, and those that pipeline
// stages are made of. A stage's promise to give the same double on both engines rests on this
// table. Sums, products, quotients and square roots are IEEE 754's, rounded once, on both; ln,
// log1p and expm1 are Java's StrictMath on both (base/strict_math.h); sin, pow and the like are
// missing on purpose.
#include "sql/expressions.h"

#include <algorithm>

namespace protium {
namespace {

// Sorted by name. DuckDB's spellings call macros of the other themes (sql/prelude.h): day() or
// length() here is Spark's.
constexpr ExprSpelling kSpellings[] = {
    {"*", "($1 * $2)", "($1 * $2)"},
    {"+", "($1 + $2)", "($1 + $2)"},
    {"-", "($1 - $2)", "($1 - $2)"},
    // Both sides as doubles, as Spark divides whole numbers too.
    {"/", "pt_divide($1, $2)", "($1 / $2)"},
    {"<", "($1 < $2)", "($1 < $2)"},
    {"<=", "($1 <= $2)", "($1 <= $2)"},
    {"<>", "($1 <> $2)", "($1 <> $2)"},
    {"=", "($1 = $2)", "($1 = $2)"},
    {">", "($1 > $2)", "($1 > $2)"},
    {">=", "($1 >= $2)", "($1 >= $2)"},
    {"abs", "abs($1)", "abs($1)"},
    {"and", "($1 AND $2)", "($1 AND $2)"},
    {"cast_bool", "CAST($1 AS BOOLEAN)", "CAST($1 AS BOOLEAN)"},
    {"cast_double", "CAST($1 AS DOUBLE)", "CAST($1 AS DOUBLE)"},
    {"cast_float", "CAST($1 AS FLOAT)", "CAST($1 AS FLOAT)"},
    // DuckDB's own cast rounds where Spark cuts off the fraction.
    {"cast_int64", "pt_to_bigint($1)", "CAST($1 AS BIGINT)"},
    {"cast_string", "CAST($1 AS VARCHAR)", "CAST($1 AS STRING)"},
    {"ceil", "ceil($1)", "ceil($1)"},
    {"coalesce", "coalesce($*)", "coalesce($*)"},
    {"day", "day($1)", "day($1)"},
    {"day_of_week", "dayofweek($1)", "dayofweek($1)"},
    {"day_of_year", "dayofyear($1)", "dayofyear($1)"},
    // Counted from 0; beyond the end NULL.
    {"element", "list_extract($1, CAST($2 AS BIGINT) + 1)", "get($1, CAST($2 AS INT))"},
    {"error", "error($1)", "raise_error($1)"},
    {"expm1", "pt_expm1(CAST($1 AS DOUBLE))", "expm1($1)"},
    // All that a Java regular expression matches.
    {"extract_all", "regexp_extract_all($1, $2, 0)", "regexp_extract_all($1, $2, 0)"},
    {"floor", "floor($1)", "floor($1)"},
    {"greatest", "greatest($*)", "greatest($*)"},
    // Spark's hash() of one text; the separator, U+001F, hardly occurs in data.
    {"hash_text", "pt_hash_text(concat_ws(chr(31), $*))", "hash(concat_ws(chr(31), $*))"},
    {"hour", "hour($1)", "hour($1)"},
    {"if", "(CASE WHEN $1 THEN $2 ELSE $3 END)", "(CASE WHEN $1 THEN $2 ELSE $3 END)"},
    // Never null, as in Spark.
    {"is_nan", "coalesce(isnan($1::DOUBLE), false)", "isnan($1)"},
    {"is_not_null", "($1 IS NOT NULL)", "($1 IS NOT NULL)"},
    {"is_null", "($1 IS NULL)", "($1 IS NULL)"},
    // Separated by U+001F, which hardly occurs in data.
    {"join_text", "concat_ws(chr(31), $*)", "concat_ws(chr(31), $*)"},
    // The elements of a list that have at least $2 letters.
    {"keep_long", "list_filter($1, lambda t: length(t) >= $2)", "filter($1, t -> length(t) >= $2)"},
    {"least", "least($*)", "least($*)"},
    // A list of texts without these; NULL elements are left out, too.
    {"leave_out", "list_filter($1, lambda t: NOT list_contains(list_value($+), t))",
     "filter($1, t -> NOT array_contains(array($+), t))"},
    // The same for texts in lower case, compared with the lower case of each element.
    {"leave_out_any_case", "list_filter($1, lambda t: NOT list_contains(list_value($+), lower(t)))",
     "filter($1, t -> NOT array_contains(array($+), lower(t)))"},
    {"length", "length($1)", "length($1)"},
    // NULL at 0 and below (log1p: -1), where DuckDB's own ln fails and IEEE has -inf and NaN.
    {"ln", "pt_ln(CAST($1 AS DOUBLE))", "ln($1)"},
    {"log1p", "pt_log1p(CAST($1 AS DOUBLE))", "log1p($1)"},
    {"lower", "lower($1)", "lower($1)"},
    {"minute", "minute($1)", "minute($1)"},
    {"month", "month($1)", "month($1)"},
    // All runs of $2 neighbours of a list, joined by spaces; none if it is shorter.
    {"n_grams",
     "list_transform(range(1, len($1) - CAST($2 AS BIGINT) + 2), lambda i: "
     "array_to_string(($1)[i:i + "
     "CAST($2 AS BIGINT) - 1], ' '))",
     "CASE WHEN size($1) < $2 THEN array() ELSE transform(sequence(1, CAST(size($1) - $2 + 1 AS "
     "INT)), i -> array_join(slice($1, i, CAST($2 AS INT)), ' ')) END"},
    // NaN = NaN is true on both engines, unlike in IEEE 754. But DuckDB takes the bounds of a
    // column of Parquet, which leave NaN out, for a proof that nothing in it equals NaN.
    {"nan_to_null", "CASE WHEN isnan($1::DOUBLE) THEN NULL ELSE $1::DOUBLE END",
     "nullif(CAST($1 AS DOUBLE), DOUBLE('NaN'))"},
    {"negate", "(-$1)", "(-$1)"},
    {"not", "(NOT $1)", "(NOT $1)"},
    {"or", "($1 OR $2)", "($1 OR $2)"},
    // The first argument is the position, from 0, of the one to return. Spark's get() counts from
    // 0, DuckDB's lists from 1; beyond the end both give NULL.
    {"pick", "list_extract(list_value($+), CAST($1 AS BIGINT) + 1)",
     "get(array($+), CAST($1 AS INT))"},
    {"pmod", "pmod($1, $2)", "pmod($1, $2)"},
    {"quarter", "quarter($1)", "quarter($1)"},
    {"second", "second($1)", "second($1)"},
    // A Java regular expression; empty texts at the end are kept, as in Spark's SQL.
    {"split", "split($1, $2)", "split($1, $2)"},
    // NaN below 0, as in Spark, where DuckDB's own sqrt fails.
    {"sqrt", "pt_sqrt($1)", "sqrt($1)"},
    {"upper", "upper($1)", "upper($1)"},
    {"week_of_year", "weekofyear($1)", "weekofyear($1)"},
    {"year", "year($1)", "year($1)"},
};

static_assert(std::ranges::is_sorted(kSpellings, {}, &ExprSpelling::name));

}  // namespace

std::span<const ExprSpelling> ExprSpellings() { return kSpellings; }

const ExprSpelling* FindExprSpelling(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kSpellings, name, {}, &ExprSpelling::name);
  return found != std::end(kSpellings) && found->name == name ? found : nullptr;
}

}  // namespace protium
