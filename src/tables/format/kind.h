// SPDX-License-Identifier: Apache-2.0
// What a file is by its first bytes ("magic numbers"), whatever it is named. So a spreadsheet named
// .csv is called a spreadsheet, and not a table with a bad first line.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Refuses text that is none, saying what it is instead and how it becomes CSV in UTF-8.
Status RefuseOtherThanText(std::string_view content, const std::string& path);

// Why `path`, which does not open as Parquet, is none: "it is gzip", "it is empty", "it is text
// that begins with ..."; empty for what begins as Parquet does.
std::string WhyNotParquet(const std::string& path);

// True when `path` is a file that begins as Parquet does.
bool IsParquetFile(const std::string& path);

}  // namespace protium
