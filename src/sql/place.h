// SPDX-License-Identifier: Apache-2.0
// Places in SQL text, as messages tell them. Lines and columns count from 1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sql/spelling.h"

namespace protium {

// "the SQL text, line 2, column 8".
std::string PlaceIn(std::string_view sql, size_t offset);

// "the SQL text", the line and a mark below it, as DuckDB draws them:
//   LINE 2: FROM zebra
//                ^
std::string DrawnPlaceIn(std::string_view sql, size_t offset);

// The offset that either of them tells of; nothing where `place` tells of no line of `sql`.
std::optional<size_t> ReadOffset(const std::string& place, std::string_view sql);

// A user's text, and the text that is part of a statement in its place.
struct WrittenSql {
  std::string original;
  DuckText written;
  bool marked = false;  // Whether the marks of `written` tell where its parts come from.
};

// The fault of a statement, with its place in the text of the user's that the place is part of.
// Without marks that is where the same word stands among the same neighbours.
Status PlaceInOriginal(const Status& status, const std::string& statement,
                       const std::vector<WrittenSql>& texts);

}  // namespace protium
