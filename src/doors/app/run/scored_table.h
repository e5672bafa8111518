// SPDX-License-Identifier: Apache-2.0
// Where `protium predict` puts scored rows if that is a table of a database.
#pragma once

#include <optional>
#include <vector>

#include "inspect/place.h"
#include "protium/frame.h"
#include "terminal/arguments.h"

namespace protium {

struct ScoredTable {
  TypedPlace place;
  StoreMode mode = StoreMode::kReplace;
  Columns keys;
};

// --mode and --upsert.
std::vector<Flag> ScoredTableFlags();

// Reads --output and these flags; nothing if the output is a file or stdout. Refuses (kUsage) a
// database without a table, what cannot be written, and, unless --force is given, to replace the
// rows of a table that exists.
Result<std::optional<ScoredTable>> ReadScoredTable(const Arguments& arguments);

// Splits "a,b" at its commas.
Columns ColumnsIn(const std::string& list);

}  // namespace protium
