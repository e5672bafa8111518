// SPDX-License-Identifier: Apache-2.0
// Patterns of java.text.DecimalFormat, of which Spark's format_number() takes any: #,##0.00.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

struct DecimalFormat {
  std::string before, after;  // The number.
  int least_whole = 0, least_fraction = 0, most_fraction = 0;
  int group = 0;  // Digits between commas; 0 for none.
};

// Nothing if Java refuses the pattern, or if it holds what is not here: exponents, percents, quotes
// and a form of its own for negative numbers.
std::optional<DecimalFormat> ReadDecimalFormat(std::string_view pattern);

// Writes a number that is rounded to `most_fraction` digits behind its point, "-1234.50".
std::string WriteByPattern(const DecimalFormat& pattern, std::string_view number);

}  // namespace protium
