// SPDX-License-Identifier: Apache-2.0
// Codes that look like numbers: "01067" is a place, and 1067 no longer says which.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/profile.h"

namespace protium {

struct CodeColumn {
  std::string column;
  std::string example;  // "01067"
};

// The columns of whole numbers in which a cell of the first 100,000 rows has a leading zero and
// two digits or more behind it. The `files` are CSV and have been read with these options.
Result<std::vector<CodeColumn>> FindCodes(const std::vector<std::string>& files,
                                          const CsvOptions& csv, const TableProfile& table);

}  // namespace protium
