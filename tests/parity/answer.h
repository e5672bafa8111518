// SPDX-License-Identifier: Apache-2.0
// Tables as lines of typed text, to compare the answers of engines with those in files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace protium {

// A header of `name:type` and one line per row. Whole numbers of any width have one type, because
// engines choose widths differently. Doubles are written in the shortest text that reads back to
// the same bits. Sorts the rows unless `ordered`.
Result<std::string> FormatAnswer(BatchStream& stream, bool ordered);

struct Answer {
  std::string text;                  // As FormatAnswer returns it, or "!fails ..." if Spark failed.
  std::vector<std::string> columns;  // Their names.
  std::vector<std::string> decimals;  // The names of those that are decimals.
};

// Reads answers/<case>.csv.
Result<Answer> ReadAnswer(const std::filesystem::path& path, bool ordered);

// Returns a SELECT from the table `answer` that has decimals as text with all their digits, next to
// their types. FormatAnswer combines the two.
std::string ReportDecimals(const Answer& answer);

}  // namespace protium
