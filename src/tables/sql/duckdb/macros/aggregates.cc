// SPDX-License-Identifier: Apache-2.0
// Functions of groups and windows.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kAggregates[] = {
    {"any", "(x) AS bool_or(x)"},
    // DuckDB's any_value() skips nulls; Spark's takes the first row unless nulls are to be ignored.
    {"any_value",
     "(x) AS first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN system.main.any_value(x) "
     "ELSE first(x) END"},
    // Spark's is exact up to its accuracy, 10,000 rows by default; so is this one, which fails for
    // more.
    {"approx_percentile", "(x, p) AS pt_percentile(x, p), (x, p, n) AS pt_percentile(x, p)"},
    {"array_agg", "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])"},
    {"collect_list", "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])"},
    {"collect_set", "(x) AS coalesce(list(DISTINCT x) FILTER (x IS NOT NULL), [])"},
    {"count_if", "(x) AS count(nullif(x, false))"},
    {"every", "(x) AS bool_and(x)"},
    {"first",
     "(x) AS system.main.first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
     "system.main.any_value(x) ELSE system.main.first(x) END"},
    {"first_value",
     "(x) AS system.main.first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
     "system.main.any_value(x) ELSE system.main.first(x) END"},
    {"last",
     "(x) AS system.main.last(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
     "system.main.last(x) FILTER (x IS NOT NULL) ELSE system.main.last(x) END"},
    {"last_value",
     "(x) AS system.main.last(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
     "system.main.last(x) FILTER (x IS NOT NULL) ELSE system.main.last(x) END"},
    // DuckDB's max_by() skips rows whose x is null.
    {"max_by", "(x, y) AS arg_max_null(x, y)"},
    {"mean", "(x) AS avg(x)"},
    {"min_by", "(x, y) AS arg_min_null(x, y)"},
    // Interpolates between the two nearest values, as quantile_cont() does.
    {"percentile", "(x, p) AS quantile_cont(x, p)"},
    {"percentile_approx", "(x, p) AS pt_percentile(x, p), (x, p, n) AS pt_percentile(x, p)"},
    {"some", "(x) AS bool_or(x)"},
    {"try_avg", "(x) AS avg(x)"},
    // DuckDB adds whole numbers in 128 bits, while Spark overflows at 64 and try_sum() returns
    // NULL.
    {"try_sum",
     "(x) AS CASE WHEN typeof(sum(x)) <> 'HUGEINT' OR sum(x) BETWEEN -9223372036854775808 "
     "AND 9223372036854775807 THEN sum(x) END"},
};

}  // namespace

std::span<const Macro> macros::Aggregates() { return kAggregates; }

}  // namespace protium
