// SPDX-License-Identifier: Apache-2.0
// LIKE and regular expressions. Spark's are Java's, which DuckDB's library (RE2) supports only in
// part; ours are in java/java_regex.h. A group of 1 and a limit of -1 are Spark's defaults.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kPatterns[] = {
    {"ilike", "(s, p) AS pt_ilike(s, p, '\\'), (s, p, e) AS pt_ilike(s, p, e)"},
    {"ilike_escape", "(s, p, e) AS pt_ilike(s, p, e)"},
    {"like", "(s, p) AS pt_like(s, p, '\\'), (s, p, e) AS pt_like(s, p, e)"},
    {"like_escape", "(s, p, e) AS pt_like(s, p, e)"},
    {"not_ilike_escape", "(s, p, e) AS NOT pt_ilike(s, p, e)"},
    {"not_like_escape", "(s, p, e) AS NOT pt_like(s, p, e)"},
    {"regexp", "(s, p) AS pt_regexp_like(s, p)"},
    {"regexp_count", "(s, p) AS pt_regexp_count(s, p)"},
    {"regexp_extract",
     "(s, p) AS pt_regexp_extract(s, p, 1), (s, p, g) AS pt_regexp_extract(s, p, CAST(g AS "
     "INTEGER))"},
    {"regexp_extract_all",
     "(s, p) AS pt_regexp_extract_all(s, p, 1), (s, p, g) AS pt_regexp_extract_all(s, p, "
     "CAST(g AS INTEGER))"},
    {"regexp_full_match", "(s, p) AS pt_regexp_like(s, p)"},
    // The group only matters if it is NULL: Spark ignores it.
    {"regexp_instr",
     "(s, p) AS pt_regexp_instr(s, p), (s, p, g) AS CASE WHEN g IS NOT NULL THEN "
     "pt_regexp_instr(s, p) END"},
    {"regexp_like", "(s, p) AS pt_regexp_like(s, p)"},
    {"regexp_replace",
     "(s, p, r) AS pt_regexp_replace(s, p, r, 1), (s, p, r, start) AS pt_regexp_replace(s, p, "
     "r, CAST(start AS INTEGER))"},
    {"regexp_substr", "(s, p) AS pt_regexp_substr(s, p)"},
    {"rlike", "(s, p) AS pt_regexp_like(s, p)"},
    {"split", "(s, p) AS pt_split(s, p, -1), (s, p, n) AS pt_split(s, p, CAST(n AS INTEGER))"},
};

}  // namespace

std::span<const Macro> macros::Patterns() { return kPatterns; }

}  // namespace protium
