// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace protium {

// Turns a pattern of Java's for dates and times ("yyyy-MM-dd HH:mm") into one for strftime and
// strptime. Nullopt when it holds a letter without a counterpart.
std::optional<std::string> FromJavaPattern(std::string_view pattern);

// What a regular expression of Java's holds that RE2 reads otherwise or not at all, such as "(?<=";
// empty when nothing.
std::string_view ForeignToRe2(std::string_view pattern);

}  // namespace protium
