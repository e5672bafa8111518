// SPDX-License-Identifier: Apache-2.0
// Positions in SQL text as messages name them, and the way back from a position that DuckDB reports
// in our statement to the user's own text. Offsets are in bytes from 0; lines and columns count
// from 1, and columns count the characters of UTF-8, as editors do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// The number of characters in a text in UTF-8.
size_t CountCharacters(std::string_view text);

// "the SQL text, line 2, column 8".
std::string PlaceIn(std::string_view sql, size_t offset);

// "the SQL text", the line and a mark below it, in the form of DuckDB's own error messages:
//   LINE 2: FROM zebra
//                ^
// For a long line, shows about 80 characters around the position, with "..." where it is cut.
std::string DrawnPlaceIn(std::string_view sql, size_t offset);

// Reads the offset back from what either function, or DuckDB, wrote about `sql`; nullopt if `place`
// names no line of `sql`.
std::optional<size_t> ReadOffset(const std::string& place, std::string_view sql);

// A user's text, and what replaces it in the statement that the engine runs.
struct WrittenSql {
  std::string original;
  DuckText written;
  // Whether `written` has marks. A text that was written from a tree has none.
  bool marked = false;
};

// Returns the fault of running `statement` with its position moved to the user's text that it
// belongs to. If `written` has no marks, that is the position of the same word among the same
// neighbours. A status that is OK, names no position, or names one in none of `texts` is returned
// as it is.
Status PlaceInOriginal(const Status& status, const std::string& statement,
                       const std::vector<WrittenSql>& texts);

}  // namespace protium
