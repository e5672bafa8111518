// SPDX-License-Identifier: Apache-2.0
// Values of JSON (RFC 8259) as written in a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

struct JsonNumber {
  std::string_view text;
  bool whole = false;  // Written without a point and without an exponent.
};

// Whether the text begins like a number.
inline bool NumberBegins(std::string_view text) {
  return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

// The number that the text begins with, up to what may follow it: a space, a comma, a bracket or
// the end. None for what is not a number in JSON, such as 01, 1. and +1.
std::optional<JsonNumber> NumberAt(std::string_view text);

// The value if it is whole: 7, and 7.0, as Python writes floats. None beyond int64, and beyond 2^53
// for what is written as a float.
std::optional<int64_t> WholeValue(const JsonNumber& number);

// The nearest double; 0 if the number is too small for one, none if it is too large.
std::optional<double> RealValue(const JsonNumber& number);

// The value that the text begins with, without its spaces, cut to fit in a message.
std::string ShownValue(std::string_view text);

}  // namespace protium
