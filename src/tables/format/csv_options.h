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
// of them that are equal.
Status CheckCsvOptions(const CsvOptions& options);

// Whether all engines read CSV with these options themselves, and alike.
bool IsPlainCsv(const CsvOptions& options);

// Whether the file's name (.tsv, or compressed) suggests that tabs separate its cells, if no
// delimiter other than the default was given: they do if its first line has one.
bool MayHaveTabs(const std::string& path, const CsvOptions& options);

// Refuses (Exit::kUsage), by name, non-default options that the format does not have: all for
// Parquet and Arrow, all but the types for JSON lines.
Status CheckOptionsFit(Format format, const CsvOptions& options);

// `options` must have passed CheckCsvOptions(). The caller must replace the delimiter "auto", in
// `options` or in the result.
CsvSyntax SyntaxOf(const CsvOptions& options);

// Returns the delimiter, of comma, semicolon, tab and |, that cuts the first lines of `text` into
// the most cells, the same number in each; a comma if none does. Ignores the delimiter in
// `options`.
char FindDelimiter(std::string_view text, const CsvOptions& options);

// Returns the names of the columns, given the first row `cells`: the header, or else the cells of
// one row. Faults: a JSON file, two columns with the same name, and a single column whose name
// shows that another delimiter was meant.
Result<std::vector<std::string>> CsvNames(const std::vector<CsvCell>& cells,
                                          const CsvOptions& options, const std::string& path,
                                          int64_t line);

// The longest row, in bytes, that the embedded engine allows in CSV that it reads itself; and the
// fault for a longer one.
inline constexpr size_t kLongestCsvRow = 16 << 20;
Status RowTooLong(const std::string& path, int64_t line);

// Returns the fault for a row with too few or too many cells.
Status WrongCellCount(const std::string& path, int64_t line, size_t got, size_t wanted);

// Returns a cell as shown in messages.
std::string QuotedCell(std::string_view text);

// What to do about a cell that does not fit its column's type: a cell of digits and letters is most
// likely a code, and others a wrong value or a word for NULL.
std::string FixOfCell(const std::string& column, std::string_view text);

}  // namespace protium
