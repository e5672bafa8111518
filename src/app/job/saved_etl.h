// SPDX-License-Identifier: Apache-2.0
// How a model's input table is made: kept with the model, used again on new tables.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/job/job.h"
#include "protium/session.h"

namespace protium {

// {"tables", "columns", "sql"}: the job's tables, the columns each had, and its SQL. The session
// has the tables.
Result<Json> SavedEtl(Session& session, const Job& job);

struct NewTables {
  DataFrame etl;
  std::vector<std::pair<std::string, DataFrame>> tables;
  std::vector<std::string> notes;  // What was done about columns that are missing.
};

// The SQL of `saved` over the tables of the folder `data`, whose columns are read with the types
// that they had. The columns of labels, which the SQL may rename, need not be there: nobody knows
// them yet, so they are empty. SQL that does not run is told with all columns that are missing.
Result<NewTables> TablesFromSavedEtl(Session& session, const Json& saved,
                                     const std::vector<std::string>& labels,
                                     const std::filesystem::path& data);

}  // namespace protium
