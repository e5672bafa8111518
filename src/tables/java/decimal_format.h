// SPDX-License-Identifier: Apache-2.0
// Patterns of java.text.DecimalFormat, such as #,##0.00, which Spark's format_number() accepts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

struct DecimalFormat {
  std::string before, after;  // What is written before and after the number.
  int least_whole = 0, least_fraction = 0, most_fraction = 0;
  int group = 0;  // Digits between commas; 0 for none.
};

// Returns nothing if Java rejects the pattern, or if it uses what is not supported here: exponents,
// percents, quotes or a separate form for negative numbers.
std::optional<DecimalFormat> ReadDecimalFormat(std::string_view pattern);

// Writes a number such as "-1234.50" that is already rounded to `most_fraction` digits after the
// point.
std::string WriteByPattern(const DecimalFormat& pattern, std::string_view number);

}  // namespace protium
