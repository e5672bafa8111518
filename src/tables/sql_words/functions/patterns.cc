// SPDX-License-Identifier: Apache-2.0
// LIKE and regular expressions. Those of Spark are Java's, which DuckDB's library (RE2) reads in
// part only; ours are in java/java_regex.h. A group of 1 and a limit of -1 are Spark's
// defaults.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kPatterns[] = {
    Macro("ilike", "(s, p) AS pt_ilike(s, p, '\\'), (s, p, e) AS pt_ilike(s, p, e)")
        .Typed("tte", 'B'),
    // What the parser makes of LIKE and ILIKE with ESCAPE.
    Parsed("ilike_escape", "use ILIKE", "(s, p, e) AS pt_ilike(s, p, e)").Typed("t", 'B'),
    Macro("like", "(s, p) AS pt_like(s, p, '\\'), (s, p, e) AS pt_like(s, p, e)").Typed("tte", 'B'),
    // What SparkReader makes of LIKE ANY; LikeAnyRule rewrites it.
    Parsed("like_any", "use LIKE ANY (a, b)"),
    Parsed("like_escape", "use LIKE", "(s, p, e) AS pt_like(s, p, e)").Typed("t", 'B'),
    Parsed("not_ilike_escape", "use NOT ILIKE", "(s, p, e) AS NOT pt_ilike(s, p, e)")
        .Typed("t", 'B'),
    Parsed("not_like_escape", "use NOT LIKE", "(s, p, e) AS NOT pt_like(s, p, e)").Typed("t", 'B'),
    Macro("regexp", "(s, p) AS pt_regexp_like(s, p)").Typed("t", 'B'),
    Macro("regexp_count", "(s, p) AS pt_regexp_count(s, p)").Typed("t", 'i'),
    Macro("regexp_extract",
          "(s, p) AS pt_regexp_extract(s, p, 1), (s, p, g) AS pt_regexp_extract(s, p, CAST(g AS "
          "INTEGER))")
        .Typed("tti", 'T'),
    Macro("regexp_extract_all",
          "(s, p) AS pt_regexp_extract_all(s, p, 1), (s, p, g) AS pt_regexp_extract_all(s, p, "
          "CAST(g AS INTEGER))")
        .Typed("tti", '?'),
    // What the parser makes of a ~ b, which stands for a RLIKE b.
    Parsed("regexp_full_match", "use regexp_like(text, '^(...)$')",
           "(s, p) AS pt_regexp_like(s, p)")
        .Typed("t", 'B'),
    // The group changes nothing but NULL: Spark ignores it.
    Macro("regexp_instr",
          "(s, p) AS pt_regexp_instr(s, p), (s, p, g) AS CASE WHEN g IS NOT NULL THEN "
          "pt_regexp_instr(s, p) END")
        .Typed("tti", 'I'),
    Macro("regexp_like", "(s, p) AS pt_regexp_like(s, p)").Typed("t", 'B'),
    Macro("regexp_replace",
          "(s, p, r) AS pt_regexp_replace(s, p, r, 1), (s, p, r, start) AS pt_regexp_replace(s, p, "
          "r, CAST(start AS INTEGER))")
        .Typed("ttti", 'T'),
    Macro("regexp_substr", "(s, p) AS pt_regexp_substr(s, p)").Typed("t", 'T'),
    Macro("rlike", "(s, p) AS pt_regexp_like(s, p)").Typed("t", 'B'),
    Macro("split", "(s, p) AS pt_split(s, p, -1), (s, p, n) AS pt_split(s, p, CAST(n AS INTEGER))")
        .Typed("tti", '?'),
};
static_assert(AreInOrder(kPatterns));

}  // namespace

std::span<const SqlFunction> functions::Patterns() { return kPatterns; }

}  // namespace protium
