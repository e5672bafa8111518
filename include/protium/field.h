// SPDX-License-Identifier: Apache-2.0
// What an option's field declares beyond its name, type and default.
#pragma once

#include <optional>
#include <string>

namespace protium {

// Passed as the third argument of a visit: visit("dropout", dropout, {.help = "...", .below = 1}).
// The range applies to a number, to each number of a list, and to an optional that is set.
struct Field {
  const char* help = "";  // One line.
  const char* unit = "";  // "seconds".
  std::optional<double> at_least;
  std::optional<double> above;
  std::optional<double> below;
  std::optional<double> at_most;
  const char* items = "";    // What the numbers of a list are, for error messages: "widths".
  const char* filled = "";   // For a text that must not be empty, what it must be: "a name".
  const char* rows_of = "";  // The catalogue table that it chooses from: "nets".
  // Whether another value gives other weights for the same rows; false for options that may change
  // before training continues.
  bool decides_weights = true;
};

bool InRange(const Field& field, double value);

// Returns "at least 0 and below 1", or "widths of at least 1"; empty without a range.
std::string RangeText(const Field& field);

}  // namespace protium
