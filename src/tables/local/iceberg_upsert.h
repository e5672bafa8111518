// SPDX-License-Identifier: Apache-2.0
// The part of an Iceberg table that an upsert writes anew (local/lake_upsert.h).
#pragma once

#include <arrow/type_fwd.h>

#include <set>
#include <string>
#include <vector>

#include "duckdb/handles.h"
#include "iceberg/table.h"
#include "plan/node.h"
#include "sources/lake_file.h"

namespace protium {

struct IcebergRewrite {
  std::set<std::string> removed;  // The places of the files that go.
  std::string rows;  // What comes instead, in DuckDB's SQL: the new rows and those kept.
};

// Finds the files of the table's newest snapshot that hold a row with the key of one of `rows`, a
// table of the database. DuckDB's reader of Iceberg reads them, so a column is known by its number
// and rows that are marked as deleted are not seen; it leaves out files whose bounds allow no key.
// The table's folders must have been opened (OpenSources::Prepare). `folder` is one of them, for
// messages.
Result<IcebergRewrite> FindIcebergRewrite(const duck::Connection& connection, const Store& store,
                                          const Source& folder, const IcebergTable& table,
                                          const std::string& rows,
                                          const std::vector<LakeColumn>& columns);

// Refuses (kInput) rows with a column "filename": the reader tells the file of a row under that
// name, unless the table has such a column itself. `place` is for the message.
Status CheckUpsertNames(const arrow::Schema& rows, const std::string& place);

}  // namespace protium
