// SPDX-License-Identifier: Apache-2.0
// Explains why a column of CSV is text although most of its cells are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// A column that would have a narrower type except for a few cells, or with another option.
struct OddColumn {
  std::string column;
  std::string type;  // The narrower type: "int64", "float64", "bool", "date" or "timestamp".
  // Up to five different texts of the cells that do not fit, in the order of their first lines, and
  // the number of such cells. None if `option` alone fixes the column.
  std::vector<std::string> texts;
  int64_t cells = 0;
  std::string where;           // file:line of the first of them.
  bool trim = false;           // trim = true fixes it.
  bool decimal_comma = false;  // decimal = "," fixes it.
  bool maybe_groups = false;   // Every comma may group thousands: 1,234.
};

// Looks for such columns among those of type string in `schema`: at most one cell in ten may be
// odd, not counting those with a word for a missing value (IsNullSpelling()). Reads the files once
// more, and stops early if no column is in question. The files must have been read with these
// options before.
Result<std::vector<OddColumn>> FindOddColumns(const std::vector<std::string>& paths,
                                              const CsvOptions& options,
                                              const arrow::Schema& schema);

// Returns `options` with what fixes these columns beyond doubt: words for missing values, blanks
// around cells, and decimal commas that cannot group thousands.
CsvOptions WithFixes(const std::vector<OddColumn>& odd, const CsvOptions& options);

}  // namespace protium
