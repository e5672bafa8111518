// SPDX-License-Identifier: Apache-2.0
// Tables as lines of typed text, so that answers of engines and answers in files compare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace protium {

// A header of `name:type` and one line a row. Whole numbers of any width are of one type, because
// engines choose widths differently. Doubles are written in the shortest text that reads back to
// the same bits. Sorts the rows unless `ordered`.
Result<std::string> FormatAnswer(BatchStream& stream, bool ordered);

struct Answer {
  std::string text;  // As FormatAnswer gives it, or "!fails ..." where Spark failed.
  std::vector<std::string> columns;   // Their names.
  std::vector<std::string> decimals;  // The names of those that are decimals.
};

// Reads answers/<case>.csv.
Result<Answer> ReadAnswer(const std::filesystem::path& path, bool ordered);

// A SELECT from the table `answer` that gives its decimals as text with all their digits, and
// beside each one its type. FormatAnswer takes the two together.
std::string ReportDecimals(const Answer& answer);

}  // namespace protium
