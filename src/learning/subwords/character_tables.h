// SPDX-License-Identifier: Apache-2.0
// Tables of characters as text: numbers with signs in base 36, each the difference from the one
// before, blanks between them.
#pragma once

#include <string_view>

namespace protium {

// The first and last character of each range.
extern const std::string_view kBlankTable;
extern const std::string_view kControlTable;
extern const std::string_view kPunctuationTable;
extern const std::string_view kMarkTable;
extern const std::string_view kLetterTable;
extern const std::string_view kNumberTable;
extern const std::string_view kIdeographTable;
// Of each run of characters with a lower case the first, the last, how far apart they are, and the
// lower case of the first.
extern const std::string_view kLowerTable;
// Of each character with marks how many it consists of without them, the character, and those.
extern const std::string_view kDecomposedTable;

}  // namespace protium
