// SPDX-License-Identifier: Apache-2.0
// LIKE and regular expressions, whose syntax is Java's.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kPatterns[] = {
    Same("ilike").Typed("tte", 'B'),
    // What the parser makes of LIKE and ILIKE with ESCAPE.
    Parsed("ilike_escape", "use ILIKE").Typed("t", 'B'),
    Same("like").Typed("tte", 'B'),
    // What SparkReader makes of LIKE ANY; LikeAnyRule rewrites it.
    Parsed("like_any", "use LIKE ANY (a, b)"),
    Parsed("like_escape", "use LIKE").Typed("t", 'B'),
    Parsed("not_ilike_escape", "use NOT ILIKE").Typed("t", 'B'),
    Parsed("not_like_escape", "use NOT LIKE").Typed("t", 'B'),
    Same("regexp").Typed("t", 'B'),
    Same("regexp_count").Typed("t", 'i'),
    Same("regexp_extract").Typed("tti", 'T'),
    Same("regexp_extract_all").Typed("tti", '?'),
    // What the parser makes of a ~ b, which stands for a RLIKE b.
    Parsed("regexp_full_match", "use regexp_like(text, '^(...)$')").Typed("t", 'B'),
    Same("regexp_instr").Typed("tti", 'I'),
    Same("regexp_like").Typed("t", 'B'),
    Same("regexp_replace").Typed("ttti", 'T'),
    Same("regexp_substr").Typed("t", 'T'),
    Same("rlike").Typed("t", 'B'),
    Same("split").Typed("tti", '?'),
};
static_assert(AreInOrder(kPatterns));

}  // namespace

std::span<const SqlFunction> functions::Patterns() { return kPatterns; }

}  // namespace protium
