// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

namespace protium {
namespace {

constexpr ExprSpelling kSparkSpellings[] = {
    {"/", "($1 / $2)"},
    {"cast_int64", "CAST($1 AS BIGINT)"},
    {"cast_string", "CAST($1 AS STRING)"},
    {"element", "get($1, CAST($2 AS INT))"},
    {"error", "raise_error($1)"},
    {"expm1", "expm1($1)"},
    {"hash_text", "hash(concat_ws(chr(31), $*))"},
    {"is_nan", "isnan($1)"},
    {"keep_long", "filter($1, t -> length(t) >= $2)"},
    {"leave_out", "filter($1, t -> NOT array_contains(array($+), t))"},
    {"leave_out_any_case", "filter($1, t -> NOT array_contains(array($+), lower(t)))"},
    {"ln", "ln($1)"},
    {"log1p", "log1p($1)"},
    {"n_grams",
     "CASE WHEN size($1) < $2 THEN array() ELSE transform(sequence(1, CAST(size($1) - $2 + 1 AS "
     "INT)), i -> array_join(slice($1, i, CAST($2 AS INT)), ' ')) END"},
    {"nan_to_null", "nullif(CAST($1 AS DOUBLE), DOUBLE('NaN'))"},
    {"pick", "get(array($+), CAST($1 AS INT))"},
    {"sqrt", "sqrt($1)"},
};
static_assert(std::ranges::is_sorted(kSparkSpellings, {}, &ExprSpelling::name));

// Spark's plain TIMESTAMP has the session's zone; our times have none.
constexpr Dialect kSpark = {.name = "spark",
                            .quote = '`',
                            .text_escape = "\\'",
                            .backslash = true,
                            .spellings = kSparkSpellings,
                            .part_side = "",
                            .types = {.int32 = "INT",
                                      .text = "STRING",
                                      .binary = "BINARY",
                                      .timestamp = "TIMESTAMP_NTZ",
                                      .list = "ARRAY<{}>"},
                            .scan = nullptr,
                            .named = nullptr,
                            .key_place = ""};

}  // namespace

const Dialect& SparkDialect() { return kSpark; }

}  // namespace protium
