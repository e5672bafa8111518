// SPDX-License-Identifier: Apache-2.0
// The options of CSV as readers need them, and the first line of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "format/csv_scan.h"

namespace protium {

// Refuses (Exit::kUsage) a delimiter, comment or decimal mark of more than one character, and two
// of them that are the same.
Status CheckCsvOptions(const CsvOptions& options);

// Whether both engines read CSV with these options by themselves, and alike.
bool IsPlainCsv(const CsvOptions& options);

// Whether the file's name (.tsv, or packed) says that tabs stand between its cells where no other
// delimiter than the usual one was said: they do if its first line has one.
bool MayHaveTabs(const std::string& path, const CsvOptions& options);

// Refuses (Exit::kUsage), by name, options that are not the usual ones and that the format does not
// have: all for Parquet and Arrow, all but the types for JSON lines.
Status CheckOptionsFit(Format format, const CsvOptions& options);

// Of options that have passed CheckCsvOptions(). The delimiter "auto" is the caller's to replace,
// in `options` or in what this gives.
CsvSyntax SyntaxOf(const CsvOptions& options);

// Of comma, semicolon, tab and |, the one that cuts the first lines of `text` into the most cells,
// as many in each; a comma where none does. The delimiter in `options` does not count.
char FindDelimiter(std::string_view text, const CsvOptions& options);

// The names of the columns, of which `cells` are the first row: the header, or else the cells of
// one row. Faults: a file of JSON, two columns of one name, and one column whose name shows that
// another delimiter was meant.
Result<std::vector<std::string>> CsvNames(const std::vector<CsvCell>& cells,
                                          const CsvOptions& options, const std::string& path,
                                          int64_t line);

// The longest row, in bytes, as the embedded engine has it for CSV that it reads itself; and the
// fault of one that is longer.
inline constexpr size_t kLongestCsvRow = 16 << 20;
Status RowTooLong(const std::string& path, int64_t line);

// The fault for a row with too few or too many cells.
Status WrongCellCount(const std::string& path, int64_t line, size_t got, size_t wanted);

// A cell for a message.
std::string QuotedCell(std::string_view text);

}  // namespace protium
