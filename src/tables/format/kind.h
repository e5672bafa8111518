// SPDX-License-Identifier: Apache-2.0
// Finds what a file is from its first bytes ("magic numbers"), whatever its name. So a spreadsheet
// named .csv is reported as a spreadsheet, not as a table with a bad first line.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Refuses content that is not text, saying what it is instead and how to convert it to CSV in
// UTF-8.
Status RefuseOtherThanText(std::string_view content, const std::string& path);

// Says why `path`, which does not open as Parquet, is not Parquet: "it is gzip", "it is empty", "it
// is text that begins with ..."; empty if it begins as Parquet does.
std::string WhyNotParquet(const std::string& path);

// Returns true if `path` is a file that begins as Parquet does.
bool IsParquetFile(const std::string& path);

}  // namespace protium
