// SPDX-License-Identifier: Apache-2.0
// Spark's literals, and how DuckDB writes what they mean.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// The text that a literal with its quotes stands for: 'a\tb', 'it''s', '\101', '\u0041', r'\d'.
std::string ReadTextLiteral(std::string_view literal);

// The name that "a""b" or `a``b` stands for.
std::string ReadNameLiteral(std::string_view literal);

// A literal of DuckDB's; in parentheses where it takes an expression, as for the character 0.
std::string DuckTextLiteral(std::string_view text);

// The digits of a number without sign, exponent and suffix: 1.5e3 is 1500., 1.5e-3 is .0015.
std::string PlainDigits(std::string_view number);

// A number with a sign ("-" or "") as DuckDB writes it, of the type that it has in Spark: 1.5D is
// CAST('1.5' AS DOUBLE), 0.5 is .5, which is of one digit in both, and 7L is cast twice, by way of
// a type that Spark has not got. A number that Spark has no type for is refused (kUsage).
Result<std::string> DuckNumber(std::string_view sign, std::string_view number);

}  // namespace protium
