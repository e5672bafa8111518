// SPDX-License-Identifier: Apache-2.0
// Functions of groups and windows. Spark's first(), last() and collect_list() depend on the order
// of rows, and sums of doubles on the order of additions, on either engine: these are NotExact.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kAggregates[] = {
    Same("any"),
    NotExact("any_value", kAnyRow).Typed("*", '1'),
    // The typer turns it into pt_distinct_estimate().
    Same("approx_count_distinct"),
    NotExact("approx_percentile", kFewRows),
    Refused("approx_top_k", kEstimate, "use count(*), GROUP BY and ORDER BY"),
    NotExact("array_agg", kTextOrder).Typed("*", 'A'),
    NotExact("avg", kFloatSum),
    Same("bit_and").Typed("*", '1'),
    Same("bit_or").Typed("*", '1'),
    Same("bit_xor").Typed("*", '1'),
    Same("bool_and").Typed("b", 'B'),
    Same("bool_or").Typed("b", 'B'),
    NotExact("collect_list", kTextOrder).Typed("*", 'A'),
    NotExact("collect_set", kTextOrder).Typed("*", 'A'),
    // The typer turns these into pt_corr() and the like, which retain digits that DuckDB's lose.
    // For a column that does not vary Spark divides by zero, an error in ANSI mode.
    NotExact("corr", kFloatSum).Typed("n", 'N'),
    Same("count").Typed("*", 'L'),
    Same("count_if").Typed("b", 'L'),
    Refused("count_min_sketch", kEstimate, ""),
    Parsed("count_star", "use count(*)").Typed("*", 'L'),
    NotExact("covar_pop", kFloatSum).Typed("n", 'N'),
    NotExact("covar_samp", kFloatSum).Typed("n", 'N'),
    Same("cume_dist").Typed("*", 'N'),
    Same("dense_rank").Typed("*", 'i'),
    Same("every").Typed("b", 'B'),
    NotExact("first", kAnyRow).Typed("*", '1'),
    NotExact("first_value", kAnyRow).Typed("*", '1'),
    Same("grouping"),
    Refused("histogram_numeric", kEstimate, "use width_bucket(x, low, high, n)"),
    Refused("hll_sketch_agg", kEstimate, "use count(DISTINCT x)"),
    NotExact("kurtosis", kFloatSum).Typed("n", 'N'),
    NotExact("lag", kTies).Typed("*", '1'),
    NotExact("last", kAnyRow).Typed("*", '1'),
    NotExact("last_value", kAnyRow).Typed("*", '1'),
    NotExact("lead", kTies).Typed("*", '1'),
    // The typer adds a separator; Spark has none by default.
    NotExact("listagg", kTextOrder),
    Same("max").Typed("*", '1'),
    NotExact("max_by", kTies).Typed("*", '1'),
    NotExact("mean", kFloatSum),
    Same("median").Typed("n", 'N'),
    Same("min").Typed("*", '1'),
    NotExact("min_by", kTies).Typed("*", '1'),
    NotExact("mode", "it takes any of the values that are equally frequent").Typed("*", '1'),
    NotExact("nth_value", kTies).Typed("*", '1'),
    NotExact("ntile", kTies).Typed("*", 'i'),
    Same("percent_rank").Typed("*", 'N'),
    Same("percentile").Typed("n*", '?'),
    NotExact("percentile_approx", kFewRows),
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
    Same("some").Typed("b", 'B'),
    NotExact("std", kFloatSum).Typed("n", 'N'),
    NotExact("stddev", kFloatSum).Typed("n", 'N'),
    NotExact("stddev_pop", kFloatSum).Typed("n", 'N'),
    NotExact("stddev_samp", kFloatSum).Typed("n", 'N'),
    NotExact("string_agg", kTextOrder),
    NotExact("sum", kFloatSum),
    NotExact("try_avg", kFloatSum),
    NotExact("try_sum", kFloatSum),
    NotExact("var_pop", kFloatSum).Typed("n", 'N'),
    NotExact("var_samp", kFloatSum).Typed("n", 'N'),
    NotExact("variance", kFloatSum).Typed("n", 'N'),
};
static_assert(AreInOrder(kAggregates));

}  // namespace

std::span<const SqlFunction> functions::Aggregates() { return kAggregates; }

}  // namespace protium
