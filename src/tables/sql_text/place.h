// SPDX-License-Identifier: Apache-2.0
// Places in SQL text as messages name them, and the way back from a place that DuckDB reports in
// our statement to the user's own text. Offsets are in bytes from 0; lines and columns count from
// 1, and columns count the characters of UTF-8, as editors do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// How many characters a text in UTF-8 has.
size_t CountCharacters(std::string_view text);

// "the SQL text, line 2, column 8".
std::string PlaceIn(std::string_view sql, size_t offset);

// "the SQL text", the line and a mark below it, in the form of DuckDB's own error messages:
//   LINE 2: FROM zebra
//                ^
// Of a long line about 80 characters around the place are shown, with "..." where it is cut.
std::string DrawnPlaceIn(std::string_view sql, size_t offset);

// Reads the offset back from what either of them, or DuckDB, wrote about `sql`; nullopt if `place`
// names no line of `sql`.
std::optional<size_t> ReadOffset(const std::string& place, std::string_view sql);

// A user's text, and what stands for it in the statement that the engine runs.
struct WrittenSql {
  std::string original;
  DuckText written;
  // Whether `written` has marks. A text that was written from a tree has none.
  bool marked = false;
};

// Returns the fault of running `statement` with its place moved to the user's text that the place
// belongs to. Where `written` has no marks, that is the place of the same word among the same
// neighbours. A status that is OK, names no place, or names one in none of `texts` is returned as
// it is.
Status PlaceInOriginal(const Status& status, const std::string& statement,
                       const std::vector<WrittenSql>& texts);

}  // namespace protium
