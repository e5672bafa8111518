// SPDX-License-Identifier: Apache-2.0
// Lists, structs and maps. Positions count from 1 in most of these functions; get(), list[i] and
// lambdas count from 0. A NULL list gives NULL, and a NULL element compares as unknown. Functions
// that would turn one column into several are refused.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kLists[] = {
    // ReduceRule, RenameRule, LambdaPlacesRule and ListConditionsRule (sql/rules) rewrite
    // aggregate(), array(), filter(), transform(), exists() and forall() before DuckDB sees them.
    Same("aggregate"),
    Same("array"),
    Same("array_append"),
    Same("array_compact"),
    Same("array_contains"),
    Same("array_distinct"),
    Same("array_except"),
    Same("array_insert"),
    Same("array_intersect"),
    Same("array_join"),
    Same("array_max"),
    Same("array_min"),
    Same("array_position"),
    Same("array_prepend"),
    Same("array_remove"),
    Same("array_repeat"),
    Same("array_size"),
    Same("array_sort"),
    Same("array_union"),
    Same("arrays_overlap"),
    // TypeArraysZip names its fields.
    Same("arrays_zip"),
    Same("cardinality"),
    Same("element_at"),
    Same("exists"),
    Same("explode"),
    Same("explode_outer"),
    Same("filter"),
    Same("flatten"),
    Same("forall"),
    Refused("from_csv", "Spark reads CSV by a schema", "use split(text, ',')"),
    Same("get"),
    // explode() and the like: see sql_types/generators.cc.
    Same("inline"),
    Same("inline_outer"),
    // TypeMapOf turns alternating keys and values into map_from_arrays().
    Same("map"),
    Same("map_concat"),
    Same("map_contains_key"),
    Same("map_entries"),
    Same("map_filter"),
    Same("map_from_arrays"),
    Same("map_from_entries"),
    Same("map_keys"),
    Same("map_values"),
    Same("map_zip_with"),
    Same("named_struct"),
    Same("posexplode"),
    Same("posexplode_outer"),
    Same("reduce"),
    // What the parser makes of (a, b).
    Parsed("row", "use struct(a, b)"),
    Same("sequence"),
    Refused("shuffle", "it gives a different order in every run", ""),
    Same("size"),
    Same("slice"),
    Same("sort_array"),
    Same("stack"),
    Same("struct"),
    Refused("to_csv", "Spark writes CSV by a schema", "use concat_ws(',', ...)"),
    Same("transform"),
    Same("transform_keys"),
    Same("transform_values"),
    Same("try_element_at"),
    Same("zip_with"),
};
static_assert(AreInOrder(kLists));

}  // namespace

std::span<const SqlFunction> functions::Lists() { return kLists; }

}  // namespace protium
