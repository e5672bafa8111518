// SPDX-License-Identifier: Apache-2.0
// What a field of options says of itself beyond its name, type and default.
#pragma once

#include <optional>
#include <string>

namespace protium {

// Given as the third argument of a visit: visit("dropout", dropout, {.help = "...", .below = 1}).
// The range is that of a number, of each number of a list, and of an optional that is set.
struct Field {
  const char* help = "";  // One line.
  const char* unit = "";  // "seconds".
  std::optional<double> at_least;
  std::optional<double> above;
  std::optional<double> below;
  const char* items = "";    // What the numbers of a list are, for its refusal: "widths".
  const char* filled = "";   // Of a text that may not be empty, what it must be: "a name".
  const char* rows_of = "";  // The table of the catalogue that it chooses from: "nets".
  // Another value makes other weights of the same rows; false for what may change before training
  // goes on.
  bool decides_weights = true;
};

bool InRange(const Field& field, double value);

// "at least 0 and below 1", or "widths of at least 1"; empty without a range.
std::string RangeText(const Field& field);

}  // namespace protium
