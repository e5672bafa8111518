// SPDX-License-Identifier: Apache-2.0
// Times written and read by Java patterns (java.time.format.DateTimeFormatter), strictly, as Spark
// does. Patterns are read by the room sql (ReadJavaPattern).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "java/calendar.h"
#include "sql_words/java_pattern.h"

namespace protium {

// The moment as the pattern writes it; names are English.
std::string WriteTime(Moment moment, const std::vector<TimeField>& fields);

// The moment, if the whole text fits the pattern. What the pattern leaves open is that of
// 1970-01-01 00:00:00.
std::optional<Moment> ReadTime(std::string_view text, const std::vector<TimeField>& fields);

}  // namespace protium
