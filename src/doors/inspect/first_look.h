// SPDX-License-Identifier: Apache-2.0
// A table that nobody has described yet: how its file is written, and what its columns hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/csv_odd.h"
#include "inspect/codes.h"
#include "inspect/place.h"
#include "job/csv_flags.h"
#include "leaks/table_profile.h"

namespace protium {

struct FirstLook {
  TableProfile table;
  CsvOptions csv;                      // The options used to read CSV files.
  std::vector<OddColumn> odd;          // Columns that are text only because of a few cells.
  std::vector<CodeColumn> codes = {};  // Columns of codes with leading zeros.
};

// Reads the table at `place`. For CSV files, finds delimiter, comments and header unless the
// command line gives them.
Result<FirstLook> LookAt(const TypedPlace& place, const CsvGiven& given, int64_t head);

// The same, but reads again with the options that clearly fix columns of text (WithFixes()), as
// long as that turns some columns into other types and none into text. In columns that remain text,
// cells that can only mean a missing value (IsNullMark()) are read as missing. Whole numbers with
// leading zeros are read as text (codes.h), unless the command line gives types.
Result<FirstLook> LookAndFix(const TypedPlace& place, const CsvGiven& given, int64_t head);

// Returns a line for each odd column with its fix. `null`: the current value of that option.
std::vector<std::string> OddLines(const std::vector<OddColumn>& odd, const NullTexts& null);

}  // namespace protium
