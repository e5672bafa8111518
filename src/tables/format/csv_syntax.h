// SPDX-License-Identifier: Apache-2.0
// Detects how a CSV file is written from its first lines, for users who did not say.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// Whether the text is one of the words that people and programs write for a missing value: NA, N/A,
// NULL, None, -, ?, #N/A and the like. A cell of letters alone may also be a value.
bool IsNullSpelling(std::string_view text);

// Whether it is one of those that no text column has as a value of its own: ?, .., NULL, #N/A and
// the like, but not NA, None or -, which may be a country, a reply or a grade.
bool IsNullMark(std::string_view text);

// Returns `options` with the delimiter, the comment mark of lines before the table, and whether the
// first line is a row rather than names, as far as the first 1,000 rows of the file show them
// beyond doubt. The keys in `said` ("delimiter", "comment", "header") stay as they are. Faults are
// those of CsvRows::Open().
Result<CsvOptions> FindSyntax(const std::string& path, const CsvOptions& options,
                              const std::set<std::string>& said);

}  // namespace protium
