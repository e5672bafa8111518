// SPDX-License-Identifier: Apache-2.0
// Times written and read by patterns of Java's, strictly, as Spark does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "local/functions/row_function.h"
#include "sql/java_pattern.h"

namespace protium {

std::string WriteTime(Moment moment, const std::vector<TimeField>& fields);

// What a pattern leaves open is that of 1970-01-01 00:00:00.
std::optional<Moment> ReadTime(std::string_view text, const std::vector<TimeField>& fields);

}  // namespace protium
