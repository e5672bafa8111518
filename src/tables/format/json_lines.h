// SPDX-License-Identifier: Apache-2.0
// Reads JSON lines as typed rows: one object per line.
#pragma once

#include <memory>

#include "format/bring.h"

namespace protium {

// The columns are the keys of all lines of all files, in order of first appearance; a key that a
// line lacks, and null, are NULL. Types are those of CSV, inferred over all lines in a first pass:
//   numbers    int64 if all are whole and fit 64 bits, else float64
//   booleans   bool
//   texts      date or timestamp if all are written as in CSV, else string; "12" is a text
//   lists      of numbers, booleans or texts: lists of the type of all items
// Anything else is a string: a text as it is, every other value as its JSON, with a note if that is
// an object or any other list. Blank lines are skipped. Faults have file and line: a line that is
// not JSON or not an object, a duplicate key in a line, keys that differ only in case.
Result<std::unique_ptr<BroughtRows>> OpenJsonRows(const BringSpec& spec, const BringWatch& watch);

}  // namespace protium
