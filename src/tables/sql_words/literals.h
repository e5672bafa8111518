// SPDX-License-Identifier: Apache-2.0
// Spark's literals: what they stand for, and how DuckDB writes the same value of the same type.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// The text that a literal stands for, given with its quotes: 'a\tb', 'it''s', '\101', '\u0041',
// r'\d'. The literal is closed (Spelling::Check).
std::string ReadTextLiteral(std::string_view literal);

// The name that "a""b" or `a``b` stands for.
std::string ReadNameLiteral(std::string_view literal);

// A text as a literal of DuckDB's. The character 0 has no place in the text of a statement, so a
// text that holds it becomes a concatenation in parentheses.
std::string DuckTextLiteral(std::string_view text);

// The digits of a number with its point moved to where the exponent says: 1.5e3 is 1500., 1.5e-3 is
// .0015. The number has no sign and no suffix.
std::string PlainDigits(std::string_view number);

// A number with a sign ("-" or "") in a spelling that has the same type in DuckDB as the number has
// in Spark: 1.5D is CAST('1.5' AS DOUBLE), 0.5 is .5, which has one digit in both, and 7L is cast
// twice, by way of HUGEINT, which Spark lacks, so that TypedLiteralRule recognises it. A number
// with more digits than a decimal holds is refused (kUsage).
Result<std::string> DuckNumber(std::string_view sign, std::string_view number);

}  // namespace protium
