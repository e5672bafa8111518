// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// They call macros (sql/duckdb/macros.h): day() or length() here is Spark's.
constexpr ExprSpelling kDuckDbSpellings[] = {
    // Both sides as doubles, as Spark divides whole numbers too.
    {"/", "pt_divide($1, $2)"},
    // DuckDB's own cast rounds where Spark cuts off the fraction.
    {"cast_int64", "pt_to_bigint($1)"},
    {"cast_string", "CAST($1 AS VARCHAR)"},
    // Counted from 0; NULL beyond the end.
    {"element", "list_extract($1, CAST($2 AS BIGINT) + 1)"},
    {"error", "error($1)"},
    {"expm1", "pt_expm1(CAST($1 AS DOUBLE))"},
    // Spark's hash() of one text; the separator, U+001F, hardly occurs in data.
    {"hash_text", "pt_hash_text(concat_ws(chr(31), $*))"},
    // Never null, as in Spark.
    {"is_nan", "coalesce(isnan($1::DOUBLE), false)"},
    // The elements of a list that have at least $2 letters.
    {"keep_long", "list_filter($1, lambda t: length(t) >= $2)"},
    // A list of texts without these; NULL elements are also removed.
    {"leave_out", "list_filter($1, lambda t: NOT list_contains(list_value($+), t))"},
    // The same for texts in lower case, compared with the lower case of each element.
    {"leave_out_any_case",
     "list_filter($1, lambda t: NOT list_contains(list_value($+), lower(t)))"},
    // NULL at 0 and below (log1p: -1), where DuckDB's own ln fails and IEEE has -inf and NaN.
    {"ln", "pt_ln(CAST($1 AS DOUBLE))"},
    {"log1p", "pt_log1p(CAST($1 AS DOUBLE))"},
    // All runs of $2 neighbours of a list, joined by spaces; none if it is shorter.
    {"n_grams",
     "list_transform(range(1, len($1) - CAST($2 AS BIGINT) + 2), lambda i: "
     "array_to_string(($1)[i:i + "
     "CAST($2 AS BIGINT) - 1], ' '))"},
    // NaN = NaN is true, unlike in IEEE 754. But DuckDB takes the bounds of a Parquet column, which
    // exclude NaN, as proof that nothing in it equals NaN.
    {"nan_to_null", "CASE WHEN isnan($1::DOUBLE) THEN NULL ELSE $1::DOUBLE END"},
    // The first argument is the position, from 0, of the one to return; NULL beyond the end.
    {"pick", "list_extract(list_value($+), CAST($1 AS BIGINT) + 1)"},
    // NaN below 0, as in Spark, where DuckDB's own sqrt fails.
    {"sqrt", "pt_sqrt($1)"},
};
static_assert(std::ranges::is_sorted(kDuckDbSpellings, {}, &ExprSpelling::name));

constexpr Dialect kDuckDb = {.name = "duckdb",
                             .quote = '"',
                             .text_escape = "''",
                             .backslash = false,
                             .spellings = kDuckDbSpellings,
                             .part_side = "pt_part_side",
                             .types = {.int32 = "INTEGER",
                                       .text = "VARCHAR",
                                       .binary = "BLOB",
                                       .timestamp = "TIMESTAMP",
                                       .list = "{}[]"},
                             .scan = DuckDbScan,
                             .named = DuckDbNamed,
                             .key_place = "pt_place"};

}  // namespace

const Dialect& DuckDbDialect() { return kDuckDb; }

}  // namespace protium
