// SPDX-License-Identifier: Apache-2.0
// Patterns for dates and times as java.time.format.DateTimeFormatter has them, which Spark
// documents under "Datetime Patterns". What ICU or DuckDB would read otherwise is not taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

// A part of a pattern of Java's for dates and times: "yyyy" is {'y', 4}; text that stands for
// itself has the letter 0.
struct TimeField {
  char letter = 0;
  size_t count = 0;
  std::string text;
};

enum class PatternUse { kWrite, kRead };

// Reads such a pattern ("yyyy-MM-dd HH:mm"). Nullopt when it holds what Spark refuses for that use,
// or what depends on zones and languages.
std::optional<std::vector<TimeField>> ReadJavaPattern(std::string_view pattern, PatternUse use);

}  // namespace protium
