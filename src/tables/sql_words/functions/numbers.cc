// SPDX-License-Identifier: Apache-2.0
// Arithmetic beyond operators. Functions whose last bit differs between the C library and Java are
// NotExact.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kNumbers[] = {
    Same("abs"),
    Same("acos").Typed("n", 'N'),
    NotExact("acosh", kLastBit),
    Same("asin").Typed("n", 'N'),
    NotExact("asinh", kLastBit),
    NotExact("atan", kLastBit).Typed("n", 'N'),
    NotExact("atan2", kLastBit).Typed("n", 'N'),
    NotExact("atanh", kLastBit),
    Same("bit_count").Typed("w", 'i'),
    Same("bit_get").Typed("wi", 'y'),
    Same("bround"),
    Same("cbrt").Typed("n", 'N'),
    Same("ceil"),
    Same("ceiling"),
    NotExact("cos", kLastBit).Typed("n", 'N'),
    NotExact("cosh", kLastBit).Typed("n", 'N'),
    NotExact("cot", kLastBit),
    NotExact("csc", kLastBit),
    NotExact("degrees", kLastBit).Typed("n", 'N'),
    Same("e"),
    NotExact("exp", kLastBit).Typed("n", 'N'),
    Same("expm1").Typed("n", 'N'),
    Same("factorial"),
    Same("floor"),
    Same("getbit").Typed("wi", 'y'),
    Same("hypot"),
    Same("ln").Typed("n", 'N'),
    Same("log").Typed("n", 'N'),
    NotExact("log10", kLastBit).Typed("n", 'N'),
    Same("log1p").Typed("n", 'N'),
    Same("log2").Typed("n", 'N'),
    Same("mod"),
    Same("negative"),
    Same("pi"),
    Same("pmod"),
    Same("positive"),
    NotExact("pow", kLastBit).Typed("n", 'N'),
    NotExact("power", kLastBit).Typed("n", 'N'),
    NotExact("radians", kLastBit).Typed("n", 'N'),
    Refused("rand", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Refused("randn", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Refused("random", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Same("rint").Typed("n", 'N'),
    Same("round"),
    NotExact("sec", kLastBit),
    Same("shiftleft"),
    Same("shiftright"),
    Same("shiftrightunsigned"),
    Same("sign").Typed("n", 'N'),
    Same("signum").Typed("n", 'N'),
    NotExact("sin", kLastBit).Typed("n", 'N'),
    NotExact("sinh", kLastBit).Typed("n", 'N'),
    Same("sqrt").Typed("n", 'N'),
    NotExact("tan", kLastBit).Typed("n", 'N'),
    NotExact("tanh", kLastBit).Typed("n", 'N'),
    Same("try_add"),
    Same("try_divide"),
    Same("try_mod"),
    Same("try_multiply"),
    Same("try_subtract"),
    Refused("uniform", "its numbers depend on Spark's partitions", "use a split with a seed"),
    Same("width_bucket"),
};
static_assert(AreInOrder(kNumbers));

}  // namespace

std::span<const SqlFunction> functions::Numbers() { return kNumbers; }

}  // namespace protium
