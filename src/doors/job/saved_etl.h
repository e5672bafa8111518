// SPDX-License-Identifier: Apache-2.0
// The ETL stored with a model: the tables and the SQL that made its input table, saved as etl.json
// and run again on new tables by `protium predict --data`.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "job/job.h"
#include "protium/session.h"

namespace protium {

struct ModelState;

// Returns {"tables", "columns", "sql"}: the job's tables, the columns and types of each, and the
// SQL. The session must have the tables.
Result<Json> SavedEtl(Session& session, const Job& job);

// The columns that a model's estimators learn from, which new tables need not have.
std::vector<std::string> LabelsOf(const ModelState& model);

// Returns the possible names of a label in a table that the SQL reads: its own, and those of
// columns that the SQL merely renames to it ("SELECT t.price AS label").
std::vector<std::string> NamesOfLabel(const std::string& sql, const std::string& label);

struct NewTables {
  DataFrame etl;
  std::vector<std::pair<std::string, DataFrame>> tables;
  std::vector<std::string> notes;  // For the user: what was done about missing columns.
};

// Where a model's tables are now: below a folder under their old file names, or where they were
// opened by name; then a file's columns have the types that are given.
struct NewPlaces {
  std::filesystem::path data;  // Empty: every table has a place of its own.
  std::map<std::string, std::function<DataFrame(const SchemaPtr& known)>> own;
};

// Runs the SQL of `saved` over its tables at `places`, read with their columns' former types. The
// label's column may be missing, under whatever name the SQL reads it: new data does not have it,
// so it becomes NULL. If the SQL fails for another reason, the fault lists all columns that the
// tables lack.
Result<NewTables> TablesFromSavedEtl(Session& session, const Json& saved,
                                     const std::vector<std::string>& labels,
                                     const NewPlaces& places);

}  // namespace protium
