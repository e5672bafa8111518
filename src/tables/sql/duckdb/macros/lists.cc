// SPDX-License-Identifier: Apache-2.0
// Lists, structs and maps. A NULL list gives NULL, and a NULL element compares as unknown unless a
// row says otherwise.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kLists[] = {
    // DuckDB treats a NULL list as empty when appending; so does array_prepend().
    {"array_append", "(l, x) AS CASE WHEN l IS NOT NULL THEN list_append(l, x) END"},
    {"array_compact", "(l) AS list_filter(l, lambda x: x IS NOT NULL)"},
    // NULL, not false, if the value is missing and a null might have been it.
    {"array_contains",
     "(l, x) AS CASE WHEN list_contains(l, x) THEN true WHEN len(list_filter(l, lambda y: y "
     "IS NULL)) > 0 THEN NULL ELSE list_contains(l, x) END"},
    // Preserves the order of first occurrences, unlike DuckDB's list_distinct().
    {"array_distinct", "(l) AS pt_distinct(l)"},
    {"array_except",
     "(a, b) AS pt_distinct(CASE WHEN b IS NOT NULL THEN list_filter(a, lambda x: "
     "list_position(b, x) IS NULL) END)"},
    // A position beyond either end pads the list with nulls; negative ones count from the end,
    // where -1 inserts after the last element.
    {"array_insert",
     "(l, p, x) AS CASE WHEN p = 0 THEN error('the position of array_insert is 0') WHEN l IS "
     "NULL OR p IS NULL THEN NULL WHEN p > 0 THEN list_concat(list_concat(list_resize(l, "
     "CAST(p - 1 AS BIGINT)), [x]), l[p:]) WHEN -p <= len(l) + 1 THEN "
     "list_concat(list_concat(l[:len(l) + p + 1], [x]), l[len(l) + p + 2:]) ELSE "
     "list_concat(list_resize([x], CAST(-p - len(l) AS BIGINT)), l) END"},
    {"array_intersect",
     "(a, b) AS pt_distinct(CASE WHEN b IS NOT NULL THEN list_filter(a, lambda x: "
     "list_position(b, x) IS NOT NULL) END)"},
    {"array_join",
     "(l, d) AS array_to_string(list_transform(l, lambda x: pt_to_text(x)), d), (l, d, n) AS "
     "array_to_string(list_transform(l, lambda x: coalesce(pt_to_text(x), n)), d)"},
    {"array_max", "(l) AS list_max(l)"},
    {"array_min", "(l) AS list_min(l)"},
    // 0, not NULL, for a value that is missing.
    {"array_position",
     "(l, x) AS CASE WHEN l IS NOT NULL AND x IS NOT NULL THEN "
     "CAST(coalesce(list_position(l, x), 0) AS BIGINT) END"},
    {"array_prepend", "(l, x) AS CASE WHEN l IS NOT NULL THEN list_prepend(x, l) END"},
    // Nulls stay: they are not equal to anything that could be removed.
    {"array_remove",
     "(l, x) AS CASE WHEN x IS NOT NULL THEN list_filter(l, lambda y: y IS DISTINCT FROM x) "
     "END"},
    {"array_repeat", "(x, n) AS list_transform(range(CAST(n AS BIGINT)), lambda i: x)"},
    {"array_size", "(l) AS pt_size(l)"},
    // Nulls come last in array_sort() and first in sort_array(), whatever the session's order of
    // nulls.
    {"array_sort",
     "(l) AS list_sort(l, 'ASC', 'NULLS LAST'), (l, f) AS error('array_sort with a comparison "
     "is not supported by every engine')"},
    {"array_union",
     "(a, b) AS pt_distinct(CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN list_concat(a, b) "
     "END)"},
    // NULL, not false, if a null on either side might be the common element.
    {"arrays_overlap",
     "(a, b) AS CASE WHEN len(list_filter(a, lambda x: x IS NOT NULL AND list_contains(b, x))) "
     "> 0 THEN true WHEN a IS NULL OR b IS NULL THEN NULL WHEN len(a) > 0 AND len(b) > 0 AND "
     "(list_position(a, NULL) > 0 OR list_position(b, NULL) > 0) THEN NULL ELSE false END"},
    // Only lists and maps: DuckDB's len() would also count the letters of a text.
    {"cardinality",
     "(l) AS CASE WHEN typeof(l) LIKE '%[]' OR typeof(l) LIKE 'MAP(%' THEN pt_size(l) ELSE "
     "error('cardinality takes lists and maps') END"},
    {"element_at", "(l, i) AS pt_element_at(l, i)"},
    {"explode", "(l) AS unnest(l)"},
    // One row with NULL for a list that is empty or NULL.
    {"explode_outer", "(l) AS unnest(CASE WHEN len(l) > 0 THEN l ELSE [NULL] END)"},
    // NULL if any of the lists within is NULL; DuckDB skips such lists.
    {"flatten",
     "(l) AS CASE WHEN list_position(list_transform(l, lambda x: x IS NULL), true) IS NULL "
     "THEN system.main.flatten(l) END"},
    {"get", "(l, i) AS CASE WHEN i >= 0 THEN l[CAST(i AS BIGINT) + 1] END"},
    {"map", "() AS system.main.map()"},
    // A key in both maps is an error in Spark (spark.sql.mapKeyDedupPolicy); in DuckDB the last one
    // wins.
    {"map_concat",
     "(a, b) AS CASE WHEN len(list_filter(map_keys(a), lambda k: list_contains(map_keys(b), "
     "k))) > 0 THEN error('a key is in both maps of map_concat') WHEN a IS NOT NULL AND b "
     "IS NOT NULL THEN system.main.map_concat(a, b) END"},
    {"map_contains_key", "(m, k) AS list_contains(map_keys(m), k)"},
    {"map_from_arrays", "(k, v) AS system.main.map(k, v)"},
    // NULL if an entry is NULL, where DuckDB fails.
    {"map_from_entries",
     "(l) AS CASE WHEN list_position(list_transform(l, lambda e: e IS NULL), true) IS NULL "
     "THEN "
     "system.main.map_from_entries(l) END"},
    // Runs downwards automatically if the end precedes the start; a step that leads away from the
    // end is an error.
    {"sequence",
     "(a, b) AS CASE WHEN a <= b THEN generate_series(CAST(a AS BIGINT), CAST(b AS BIGINT)) "
     "ELSE generate_series(CAST(a AS BIGINT), CAST(b AS BIGINT), -1) END, (a, b, s) AS CASE "
     "WHEN (b > a AND s <= 0) OR (b < a AND s >= 0) THEN error('sequence never reaches its "
     "end with this step') WHEN a = b THEN [CAST(a AS BIGINT)] ELSE generate_series(CAST(a AS "
     "BIGINT), CAST(b AS BIGINT), CAST(s AS BIGINT)) END"},
    {"size",
     "(l) AS CASE WHEN typeof(l) LIKE '%[]' OR typeof(l) LIKE 'MAP(%' THEN pt_size(l) ELSE "
     "error('size takes lists and maps') END"},
    // A negative start counts from the end. l[1:0] is an empty list of the right type.
    {"slice",
     "(l, start, n) AS CASE WHEN start = 0 THEN error('the start of slice is 0; positions "
     "count from 1') WHEN n < 0 THEN error('the length of slice is negative: ' || n) WHEN "
     "start > 0 THEN l[start:start + n - 1] WHEN -start > len(l) THEN l[1:0] ELSE l[len(l) + "
     "start + 1:len(l) + start + n] END"},
    {"sort_array",
     "(l) AS list_sort(l, 'ASC', 'NULLS FIRST'), (l, up) AS CASE WHEN up THEN list_sort(l, "
     "'ASC', 'NULLS FIRST') WHEN NOT up THEN list_sort(l, 'DESC', 'NULLS LAST') END"},
    {"try_element_at",
     "(l, i) AS CASE WHEN TRY_CAST(i AS BIGINT) = 0 AND typeof(l) LIKE '%[]' THEN "
     "error('try_element_at counts from 1, not from 0') ELSE l[i] END"},
};

}  // namespace

std::span<const Macro> macros::Lists() { return kLists; }

}  // namespace protium
