// SPDX-License-Identifier: Apache-2.0
// Writes and reads times by Java patterns (java.time.format.DateTimeFormatter), strictly, as Spark
// does. ReadJavaPattern of room sql_words reads the patterns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "java/calendar.h"
#include "sql_words/java_pattern.h"

namespace protium {

// Writes the moment as the pattern says; names are English.
std::string WriteTime(Moment moment, const std::vector<TimeField>& fields);

// Reads the moment, if the whole text matches the pattern. What the pattern leaves open is taken
// from 1970-01-01 00:00:00.
std::optional<Moment> ReadTime(std::string_view text, const std::vector<TimeField>& fields);

}  // namespace protium
