// SPDX-License-Identifier: Apache-2.0
// A table that nobody has described yet: how its file is written, then what its columns hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/csv_odd.h"
#include "inspect/profile.h"
#include "job/csv_flags.h"

namespace protium {

struct FirstLook {
  TableProfile table;
  CsvOptions csv;              // As the table was read, of CSV files.
  std::vector<OddColumn> odd;  // Columns that are text because of a few cells.
};

// Reads the table at `place`. Of CSV files delimiter, comments and header are found where the
// command line does not say them.
Result<FirstLook> LookAt(const std::filesystem::path& place, const CsvGiven& given, int64_t head);

// The same, read again with the options that fix columns of text beyond doubt (WithFixes()), as
// long as that makes columns of other types of some and a text of none. What stands in columns that
// stay text and can only mean a missing value (IsNullMark()) is read as one.
Result<FirstLook> LookAndFix(const std::filesystem::path& place, const CsvGiven& given,
                             int64_t head);

// A line for each odd column with what fixes it. `null`: what stands in its option so far.
std::vector<std::string> OddLines(const std::vector<OddColumn>& odd, const NullTexts& null);

}  // namespace protium
