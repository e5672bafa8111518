// SPDX-License-Identifier: Apache-2.0
// The functions that expressions call: those of programs, and those that pipeline stages consist
// of. A stage's promise to return the same double on every engine rests on these tables. Sums,
// products, quotients and square roots are IEEE 754's, rounded once; ln, log1p and expm1 are Java's
// StrictMath (base/strict_math.h); sin, pow and the like are omitted on purpose.
#include "sql/spellings.h"

namespace protium {
namespace {

constexpr ExprSpelling kCommonSpellings[] = {
    {"*", "($1 * $2)"},
    {"+", "($1 + $2)"},
    {"-", "($1 - $2)"},
    {"<", "($1 < $2)"},
    {"<=", "($1 <= $2)"},
    {"<>", "($1 <> $2)"},
    {"=", "($1 = $2)"},
    {">", "($1 > $2)"},
    {">=", "($1 >= $2)"},
    {"abs", "abs($1)"},
    {"and", "($1 AND $2)"},
    {"cast_bool", "CAST($1 AS BOOLEAN)"},
    {"cast_double", "CAST($1 AS DOUBLE)"},
    {"cast_float", "CAST($1 AS FLOAT)"},
    {"ceil", "ceil($1)"},
    {"coalesce", "coalesce($*)"},
    {"day", "day($1)"},
    {"day_of_week", "dayofweek($1)"},
    {"day_of_year", "dayofyear($1)"},
    // All matches of a Java regular expression.
    {"extract_all", "regexp_extract_all($1, $2, 0)"},
    {"floor", "floor($1)"},
    {"greatest", "greatest($*)"},
    {"hour", "hour($1)"},
    {"if", "(CASE WHEN $1 THEN $2 ELSE $3 END)"},
    {"is_not_null", "($1 IS NOT NULL)"},
    {"is_null", "($1 IS NULL)"},
    // Separated by U+001F, which hardly occurs in data.
    {"join_text", "concat_ws(chr(31), $*)"},
    {"least", "least($*)"},
    {"length", "length($1)"},
    {"lower", "lower($1)"},
    {"minute", "minute($1)"},
    {"month", "month($1)"},
    {"negate", "(-$1)"},
    {"not", "(NOT $1)"},
    {"or", "($1 OR $2)"},
    {"pmod", "pmod($1, $2)"},
    {"quarter", "quarter($1)"},
    {"second", "second($1)"},
    // A Java regular expression; empty texts at the end are included, as in Spark's SQL.
    {"split", "split($1, $2)"},
    // Seconds since 1970 with their fractions; a day begins at 0 o'clock.
    {"unix_time", "(CAST(unix_micros(CAST($1 AS TIMESTAMP)) AS DOUBLE) / 1000000)"},
    {"upper", "upper($1)"},
    {"week_of_year", "weekofyear($1)"},
    {"year", "year($1)"},
};
static_assert(std::ranges::is_sorted(kCommonSpellings, {}, &ExprSpelling::name));

std::string_view FindIn(std::span<const ExprSpelling> spellings, std::string_view name) {
  const auto found = std::ranges::lower_bound(spellings, name, {}, &ExprSpelling::name);
  return found != spellings.end() && found->name == name ? found->text : "";
}

}  // namespace

std::span<const ExprSpelling> CommonSpellings() { return kCommonSpellings; }

std::string_view FindSpelling(std::string_view name, std::span<const ExprSpelling> own) {
  const std::string_view found = FindIn(own, name);
  return found.empty() ? FindIn(kCommonSpellings, name) : found;
}

}  // namespace protium
