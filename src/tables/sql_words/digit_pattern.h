// SPDX-License-Identifier: Apache-2.0
// Patterns of to_char() and to_number(), such as $99,999.99S (Spark's ToNumberParser).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// One part of a pattern. Digits are a run of 0 and 9: a run that begins with 0 before the point
// requires all of them.
struct DigitPart {
  enum class Kind { kDigits, kComma, kPoint, kDollar, kSign, kMinus, kOpen, kClose };
  Kind kind = Kind::kDigits;
  int digits = 0;
  bool exact = false;

  bool operator==(const DigitPart&) const = default;
};

struct DigitPattern {
  std::vector<DigitPart> parts;
  int whole = 0;     // Digits before the point.
  int fraction = 0;  // Digits after it.
};

// Reads [MI|S] [$] [0|9|G|,]* [.|D] [0|9]* [PR|MI|S], in any case. Nullopt for everything else.
std::optional<DigitPattern> ReadDigitPattern(std::string_view pattern);

}  // namespace protium
