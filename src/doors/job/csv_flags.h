// SPDX-License-Identifier: Apache-2.0
// The CSV options on the command line: --null, --delimiter, and --csv for all of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/csv.h"
#include "terminal/arguments.h"

namespace protium {

Flag DelimiterFlag();
Flag CsvFlag();

struct CsvGiven {
  CsvOptions options;
  std::set<std::string> said;  // The keys that the command line names.
};

// Reads the flags. An unknown key, or a value that the key does not take, is a fault of
// Exit::kUsage.
Result<CsvGiven> ReadCsvFlags(const Arguments& arguments);

// Lists the options that differ from the defaults, as in a job file: `null = "NA"`, `header =
// false`.
std::vector<std::string> OptionsSaid(const CsvOptions& options);

}  // namespace protium
