// SPDX-License-Identifier: Apache-2.0
// Spark's literals: what they stand for, and how DuckDB writes the same value of the same type.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Returns the text that a literal, given with its quotes, stands for: 'a\tb', 'it''s', '\101',
// '\u0041', r'\d'. The literal must be closed (Spelling::Check).
std::string ReadTextLiteral(std::string_view literal);

// Returns the name that "a""b" or `a``b` stands for.
std::string ReadNameLiteral(std::string_view literal);

// Writes a text as a DuckDB literal. The text of a statement cannot contain the character 0, so a
// text that does becomes a concatenation in parentheses.
std::string DuckTextLiteral(std::string_view text);

// Returns the digits of a number with its point moved to where the exponent says: 1.5e3 is 1500.,
// 1.5e-3 is .0015. The number has no sign and no suffix.
std::string PlainDigits(std::string_view number);

// Writes a number with a sign ("-" or "") so that it has the same type in DuckDB as in Spark: 1.5D
// is CAST('1.5' AS DOUBLE), 0.5 is .5, which has one digit in both, and 7L is cast twice, via
// HUGEINT, which Spark lacks, so that TypedLiteralRule recognises it. Refuses (kUsage) a number
// with more digits than a decimal can hold.
Result<std::string> DuckNumber(std::string_view sign, std::string_view number);

}  // namespace protium
