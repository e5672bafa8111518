// SPDX-License-Identifier: Apache-2.0
#include "sql/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kOperators[] = {
    Macro("!", "(a) AS NOT a"),
    Refused("!~", kOneSide, "use NOT regexp_like(text, pattern)"),
    Same("!~~"),
    Same("!~~*"),
    Macro("%",
          "(a, b) AS CASE WHEN b = 0 THEN error('remainder by zero') ELSE system.main.\"%\"(a, b) "
          "END"),
    Same("&"),
    Same("*"),
    Refused("**", kOneSide, "use power(a, b)"),
    Same("+"),
    Same("-"),
    Refused("->", kOneSide, ""),
    Refused("->>", kOneSide, ""),
    Macro("/",
          "(a, b) AS CASE WHEN b = 0 THEN error('division by zero') WHEN "
          "pt_is_decimal_quotient(typeof(a), typeof(b)) THEN pt_round(system.main.\"/\"(a, b), "
          "pt_quotient_scale(typeof(a), typeof(b))) ELSE system.main.\"/\"(a, b) END"),
    Macro("//",
          "(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE "
          "CAST(system.main.\"//\"(a, b) AS BIGINT) END"),
    Same("<<"),
    Same(">>"),
    Refused("^", "it is a power here and exclusive or in Spark", "use power(a, b)"),
    Refused("^@", kOneSide, "use startswith(text, start)"),
    Same("|"),
    Same("||"),
    Same("~"),
    Same("~~"),
    Same("~~*"),
};

}  // namespace

std::span<const SqlFunction> functions::Operators() { return kOperators; }

}  // namespace protium
