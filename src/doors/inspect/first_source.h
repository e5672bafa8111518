// SPDX-License-Identifier: Apache-2.0
// Where a first job's rows come from: one table, or several joined to it, and how their columns are
// read. Everything is a SELECT of the job's own SQL, so that what is looked at here is what the job
// will see.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/first_look.h"
#include "inspect/folder_tables.h"
#include "inspect/tellers.h"

namespace protium {

// A table that was looked at.
struct LookedTable {
  TablePlace place;
  FirstLook look;
};

struct FirstSource {
  std::vector<LookedTable> tables;  // The first one has the label; joined ones follow.
  std::string from;                 // After FROM: names, joins, and a comment for each join.
  // The expressions of columns, such as "planes.seats" or "to_date(day, 'MM/dd/yyyy')", by their
  // names in the result; one that is not here is its name alone.
  std::map<std::string, std::string> reads;
  TableProfile seen;               // The result, column by column.
  std::vector<std::string> notes;  // For people: what was joined and read, and what was not.
};

// Whether the files of a folder are parts of one table, as Spark and others write it: all have the
// same columns. The first few are looked at; folders in it are tables of their own.
Result<bool> AreParts(const std::vector<TablePlace>& places, const CsvGiven& given);

// The tables at a place, looked at: one of a file, or of a folder whose files have the same
// columns; of another folder all tables in it, the one that has the column `label` first. `named`
// says which where several have it. A label that none or several have is a fault of Exit::kUsage.
Result<std::vector<LookedTable>> LookForTables(const std::filesystem::path& place,
                                               const CsvGiven& given, const std::string& label,
                                               const std::string& named);

// Of one table, or with `others` of those of them that share a key with it (shared_keys.h). Dates
// written in other ways than ISO's are read by their pattern (text_dates.h). Reads the tables once
// or twice, on the embedded engine; nothing is left behind.
Result<FirstSource> FindSource(LookedTable table, std::vector<LookedTable> others,
                               const std::string& label);

// Columns of the source that tell the label all by themselves.
Result<Tellers> FindTellersIn(const FirstSource& source, const std::string& label, bool classes);

// A column's expression, and how the SELECT writes it: with AS where that has another name.
std::string ExpressionOf(const FirstSource& source, const std::string& column);
std::string ReadOf(const FirstSource& source, const std::string& column);

}  // namespace protium
