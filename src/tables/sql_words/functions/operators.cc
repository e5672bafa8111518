// SPDX-License-Identifier: Apache-2.0
// Operators, under the names that DuckDB's parser gives them.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kOperators[] = {
    Same("!"),
    Refused("!~", kOneSide, "use NOT regexp_like(text, pattern)"),
    Same("!~~").Typed("t", 'B'),
    Same("!~~*").Typed("t", 'B'),
    Same("%"),
    Same("&"),
    Same("*"),
    Refused("**", kOneSide, "use power(a, b)"),
    Same("+"),
    Same("-"),
    Refused("->", kOneSide, ""),
    Refused("->>", kOneSide, ""),
    Same("/"),
    Same("//"),
    Same("<<"),
    Same(">>"),
    Same("^"),
    Refused("^@", kOneSide, "use startswith(text, start)"),
    Same("|"),
    Same("||"),
    Same("~"),
    // LIKE and ILIKE, for patterns that LikeRule leaves as they are.
    Same("~~").Typed("t", 'B'),
    Same("~~*").Typed("t", 'B'),
};
static_assert(AreInOrder(kOperators));

}  // namespace

std::span<const SqlFunction> functions::Operators() { return kOperators; }

}  // namespace protium
