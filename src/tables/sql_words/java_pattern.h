// SPDX-License-Identifier: Apache-2.0
// Patterns for dates and times as Spark takes them: the letters of
// java.time.format.DateTimeFormatter that Spark documents under "Datetime Patterns". Letters whose
// meaning depends on a language or a zone, and those that Spark refuses since 3.0, are not
// supported here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// One part of a pattern: "yyyy" is {'y', 4}; literal text has the letter 0 and is in `text`.
struct TimeField {
  char letter = 0;
  size_t count = 0;
  std::string text;
};

// Spark formats more fields than it parses: E and Q can only be written.
enum class PatternUse { kWrite, kRead };

// Reads a pattern such as "yyyy-MM-dd HH:mm". Nullopt if it contains a letter, or a number of
// letters in a row, that is not supported for that use, one of Java's reserved characters, or a
// quote that is never closed.
std::optional<std::vector<TimeField>> ReadJavaPattern(std::string_view pattern, PatternUse use);

}  // namespace protium
