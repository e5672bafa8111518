// SPDX-License-Identifier: Apache-2.0
// Functions of groups and windows. Spark's first(), last() and collect_list() depend on the order
// of rows, and sums of doubles on the order of additions, on either engine: these are NotExact.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kAggregates[] = {
    Macro("any", "(x) AS bool_or(x)"),
    // DuckDB's any_value() skips nulls; Spark's takes the first row unless told to ignore them.
    NotExact("any_value", kAnyRow,
             "(x) AS first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN system.main.any_value(x) "
             "ELSE first(x) END")
        .Typed("*", '1'),
    // The typer makes pt_distinct_estimate() of it.
    Same("approx_count_distinct"),
    // Spark's is exact up to its accuracy, 10,000 rows by default; so is this one, which refuses
    // more.
    NotExact("approx_percentile", "exact for up to 10,000 rows, an error for more",
             "(x, p) AS pt_percentile(x, p), (x, p, n) AS pt_percentile(x, p)"),
    Refused("approx_top_k", kEstimate, "use count(*), GROUP BY and ORDER BY"),
    NotExact("array_agg", kTextOrder, "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])")
        .Typed("*", 'A'),
    NotExact("avg", kFloatSum),
    Same("bit_and").Typed("*", '1'),
    Same("bit_or").Typed("*", '1'),
    Same("bit_xor").Typed("*", '1'),
    Same("bool_and").Typed("b", 'B'),
    Same("bool_or").Typed("b", 'B'),
    NotExact("collect_list", kTextOrder, "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])")
        .Typed("*", 'A'),
    NotExact("collect_set", kTextOrder,
             "(x) AS coalesce(list(DISTINCT x) FILTER (x IS NOT NULL), [])")
        .Typed("*", 'A'),
    // The typer makes pt_corr() and the like of these, which keep digits that DuckDB's lose. Of a
    // column that does not vary Spark divides by zero, an error in ANSI mode.
    NotExact("corr", kFloatSum).Typed("n", 'N'),
    Same("count").Typed("*", 'L'),
    Macro("count_if", "(x) AS count(nullif(x, false))").Typed("b", 'L'),
    Refused("count_min_sketch", kEstimate, ""),
    Parsed("count_star", "use count(*)").Typed("*", 'L'),
    NotExact("covar_pop", kFloatSum).Typed("n", 'N'),
    NotExact("covar_samp", kFloatSum).Typed("n", 'N'),
    Same("cume_dist").Typed("*", 'N'),
    Same("dense_rank").Typed("*", 'i'),
    Macro("every", "(x) AS bool_and(x)").Typed("b", 'B'),
    NotExact("first", kAnyRow,
             "(x) AS system.main.first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
             "system.main.any_value(x) ELSE system.main.first(x) END")
        .Typed("*", '1'),
    NotExact("first_value", kAnyRow,
             "(x) AS system.main.first(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
             "system.main.any_value(x) ELSE system.main.first(x) END")
        .Typed("*", '1'),
    Same("grouping"),
    Refused("histogram_numeric", kEstimate, "use width_bucket(x, low, high, n)"),
    Refused("hll_sketch_agg", kEstimate, "use count(DISTINCT x)"),
    NotExact("kurtosis", kFloatSum).Typed("n", 'N'),
    NotExact("lag", kTies).Typed("*", '1'),
    NotExact("last", kAnyRow,
             "(x) AS system.main.last(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
             "system.main.last(x) FILTER (x IS NOT NULL) ELSE system.main.last(x) END")
        .Typed("*", '1'),
    NotExact("last_value", kAnyRow,
             "(x) AS system.main.last(x), (x, no_nulls) AS CASE WHEN no_nulls THEN "
             "system.main.last(x) FILTER (x IS NOT NULL) ELSE system.main.last(x) END")
        .Typed("*", '1'),
    NotExact("lead", kTies).Typed("*", '1'),
    // The typer gives it a separator, which is none in Spark.
    NotExact("listagg", kTextOrder),
    Same("max").Typed("*", '1'),
    // DuckDB's max_by() leaves out rows whose x is null.
    NotExact("max_by", kTies, "(x, y) AS arg_max_null(x, y)").Typed("*", '1'),
    NotExact("mean", kFloatSum, "(x) AS avg(x)"),
    Same("median").Typed("n", 'N'),
    Same("min").Typed("*", '1'),
    NotExact("min_by", kTies, "(x, y) AS arg_min_null(x, y)").Typed("*", '1'),
    NotExact("mode", "it takes any of the values that are equally frequent").Typed("*", '1'),
    NotExact("nth_value", kTies).Typed("*", '1'),
    NotExact("ntile", kTies).Typed("*", 'i'),
    Same("percent_rank").Typed("*", 'N'),
    // Interpolates between the two nearest values, as quantile_cont() does.
    Macro("percentile", "(x, p) AS quantile_cont(x, p)").Typed("n*", '?'),
    NotExact("percentile_approx", "exact for up to 10,000 rows, an error for more",
             "(x, p) AS pt_percentile(x, p), (x, p, n) AS pt_percentile(x, p)"),
    Same("percentile_cont"),
    Same("percentile_disc"),
    // What the parser makes of percentile_cont(p) WITHIN GROUP (ORDER BY x).
    Parsed("quantile_cont", "use percentile(x, p)").Typed("n*", 'N'),
    Parsed("quantile_disc", "use percentile_disc(p) WITHIN GROUP (ORDER BY x)").Typed("n*", 'N'),
    Same("rank").Typed("*", 'i'),
    NotExact("regr_avgx", kFloatSum),
    NotExact("regr_avgy", kFloatSum),
    Same("regr_count").Typed("n", 'l'),
    NotExact("regr_intercept", kFloatSum).Typed("n", 'N'),
    NotExact("regr_r2", kFloatSum).Typed("n", 'N'),
    NotExact("regr_slope", kFloatSum).Typed("n", 'N'),
    NotExact("regr_sxx", kFloatSum).Typed("n", 'N'),
    NotExact("regr_sxy", kFloatSum).Typed("n", 'N'),
    NotExact("regr_syy", kFloatSum).Typed("n", 'N'),
    NotExact("row_number", kTies).Typed("*", 'i'),
    NotExact("skewness", kFloatSum).Typed("n", 'N'),
    Macro("some", "(x) AS bool_or(x)").Typed("b", 'B'),
    NotExact("std", kFloatSum).Typed("n", 'N'),
    NotExact("stddev", kFloatSum).Typed("n", 'N'),
    NotExact("stddev_pop", kFloatSum).Typed("n", 'N'),
    NotExact("stddev_samp", kFloatSum).Typed("n", 'N'),
    NotExact("string_agg", kTextOrder),
    NotExact("sum", kFloatSum),
    NotExact("try_avg", kFloatSum, "(x) AS avg(x)"),
    // DuckDB adds whole numbers in 128 bits, where Spark overflows at 64 and try_sum() returns
    // NULL.
    NotExact("try_sum", kFloatSum,
             "(x) AS CASE WHEN typeof(sum(x)) <> 'HUGEINT' OR sum(x) BETWEEN -9223372036854775808 "
             "AND 9223372036854775807 THEN sum(x) END"),
    NotExact("var_pop", kFloatSum).Typed("n", 'N'),
    NotExact("var_samp", kFloatSum).Typed("n", 'N'),
    NotExact("variance", kFloatSum).Typed("n", 'N'),
};
static_assert(AreInOrder(kAggregates));

}  // namespace

std::span<const SqlFunction> functions::Aggregates() { return kAggregates; }

}  // namespace protium
