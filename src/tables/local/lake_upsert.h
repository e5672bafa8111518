// SPDX-License-Identifier: Apache-2.0
// The rows of an upsert beside those that the files of a lake's table have: files are never
// changed, so those that hold a row with the key of a new one are replaced by files with their
// other rows.
#pragma once

#include <string>
#include <vector>

#include "duckdb/handles.h"
#include "plan/node.h"
#include "sources/lake_file.h"

namespace protium {

// All texts are DuckDB's SQL. `existing` is a query over rows of the table, with its columns.
class LakeUpsert {
 public:
  // Of `rows`, a table of the database, into a table with these columns.
  LakeUpsert(const duck::Connection& connection, const Store& store, std::string rows,
             const std::vector<LakeColumn>& columns);

  // Makes the temporary table of the new rows' keys, kKeys.
  static constexpr const char* kKeys = "pt_lake_keys";
  Status MakeKeys();
  // The existing rows, as e, with a key of a new one.
  std::string Matched(const std::string& existing) const;
  // The new rows, and with them the existing ones whose keys no new row has.
  std::string NewRows() const;
  std::string NewRowsBeside(const std::string& existing) const;

  const std::string& TypeOf(const std::string& column) const;

 private:
  std::string SameKey() const;

  const duck::Connection& connection_;
  const Store& store_;
  const std::string rows_;
  const std::vector<LakeColumn>& columns_;
};

// Whose commit it is: MarkOf() and, of an upsert, the sum of its rows. A resumed run that has
// learned more has other rows to upsert; the same ones would replace what others have written
// since.
Result<std::string> MarkOfRows(const duck::Connection& connection, const Store& store,
                               const std::string& rows);

}  // namespace protium
