// SPDX-License-Identifier: Apache-2.0
// What all engines must agree on about CSV files: their columns and types, and what is malformed.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

struct CsvTable {
  SchemaPtr schema;
  // No cell holds a line break and no row looks like an empty line: files may be read in pieces
  // that start at any line.
  bool rows_are_lines = false;
  // Some numbers are not read alike by the engines (kLooseDouble): the table must be brought.
  bool loose_numbers = false;
};

// Returns the options with the delimiter that the first lines of the file show, if it is "auto" or
// the name ends in .tsv. Everything else here needs an explicit delimiter.
Result<CsvOptions> WithDelimiter(const std::string& path, const CsvOptions& options);

// Infers the columns of CSV files from every row of all of them. A column gets the first type of
//   int64      whole numbers of 64 bits: 7, -12
//   double     3.5, .5, 1e-3, NaN, Inf, -Inf, and whole numbers among them; inf, nan and infinity
//              in any case
//   boolean    true, false, in any case
//   date       2013-12-31
//   timestamp  2013-12-31T23:59, with :ss and .ffffff, with a space for the T, with or without Z
//              (both mean UTC); also dates among them
//   string     everything else, and columns without any value
// that fits every cell; so one odd value on line 30,001 makes a column text. Columns without a name
// in a header are called column1, column2, ... by position. Faults (exit kInput) carry file:line:
// rows with too many or too few cells, open quotes, bytes that are not UTF-8, duplicate column
// names, files that differ in their columns, empty files.
Result<CsvTable> InferCsv(const std::vector<std::string>& paths, const CsvOptions& options);

// Returns the columns of `inferred` with the types that `known` gives to columns of these names, as
// in a table read before: a few rows alone may look like whole numbers, or like text if all cells
// are empty. A cell that does not fit is a fault with file, line, column and value. A decimal
// column is read as double; if fractions are found in a column of whole numbers, it stays double.
Result<SchemaPtr> WithKnownTypes(const std::vector<std::string>& paths, const CsvOptions& options,
                                 const SchemaPtr& inferred, const arrow::Schema& known);

// Looks for the first cell that does not fit `schema` or the first malformed row, and returns its
// fault with file, line, column and value; OK if every cell fits.
Status CheckCsv(const std::vector<std::string>& paths, const CsvOptions& options,
                const arrow::Schema& schema);

}  // namespace protium
