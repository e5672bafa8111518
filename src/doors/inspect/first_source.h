// SPDX-License-Identifier: Apache-2.0
// Where a first job's rows come from: one table, or several joined to it, and how their columns are
// read. Everything is a SELECT in the job's own SQL, so that what is examined here is what the job
// will see.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "frame/session_state.h"
#include "inspect/first_look.h"
#include "inspect/folder_tables.h"
#include "leaks/leaks.h"

namespace protium {

// A table that was examined.
struct LookedTable {
  TablePlace place;
  FirstLook look;
};

struct FirstSource {
  std::vector<LookedTable> tables;  // The first one has the label; joined tables follow.
  std::string from;                 // After FROM: names, joins, and a comment for each join.
  // The expressions of columns, such as "planes.seats" or "to_date(day, 'MM/dd/yyyy')", by their
  // names in the result; a column without an entry is just its name.
  std::map<std::string, std::string> reads;
  TableProfile seen;               // The result, column by column.
  std::vector<std::string> notes;  // For people: what was joined and read, and what was not.
};

// What was found at a place.
struct LookedPlace {
  std::vector<LookedTable> tables;  // One or more.
  std::vector<BrokenTable> broken;  // Others of a folder.
};

// Whether the files of a folder are parts of one table, as Spark and others write it: all have the
// same columns, several do, and those that cannot be read do not count. Only the first few are
// examined; folders in it are separate tables.
Result<bool> AreParts(const std::vector<TablePlace>& places, const CsvGiven& given);

// Finds the tables at a place and examines them. A file, or a folder whose files have the same
// columns, is one table; any other folder is all tables in it, starting with the one that has the
// column `label`. `named` says which one if several have it. A label that no table or several have
// is a fault of Exit::kUsage. Tables that cannot be read fail only if one of them is named, or
// there are no others.
Result<LookedPlace> LookForTables(const TypedPlace& place, const CsvGiven& given,
                                  const std::string& label, const std::string& named);

// Makes a source from one table, joined with those of `others` that share a key with it
// (shared_keys.h). Dates not in ISO format are read by their pattern (text_dates.h). Reads the
// tables once or twice, on the embedded engine; leaves nothing behind.
Result<FirstSource> FindSource(LookedTable table, std::vector<LookedTable> others,
                               const std::string& label);

// Opens a session on the embedded engine with these tables by their names.
Result<std::unique_ptr<Session>> OpenTables(const std::vector<LookedTable>& tables,
                                            SessionOptions options = {});

// Finds the columns of the source that give the label away by themselves.
Result<Leaks> FindLeaksIn(const FirstSource& source, const std::string& label, bool classes);

// Returns a column as the SELECT writes it: its expression, with AS if that has another name.
std::string ExpressionOf(const FirstSource& source, const std::string& column);
std::string ReadOf(const FirstSource& source, const std::string& column);

}  // namespace protium
