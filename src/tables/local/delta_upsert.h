// SPDX-License-Identifier: Apache-2.0
// The part of a Delta table that an upsert writes anew: files are never changed, so those that hold
// a row with the key of a new one are replaced by files with their other rows.
#pragma once

#include <string>
#include <vector>

#include "delta/columns.h"
#include "duckdb/handles.h"
#include "plan/node.h"

namespace protium {

struct DeltaRewrite {
  std::vector<Json> removed;  // The files that go: the contents of their actions "add".
  std::string rows;           // What comes instead, in DuckDB's SQL: the new rows and those kept.
};

// Finds, among the files of a table as it is now, those that an upsert of `rows` (a table of the
// database) replaces. Reads the key columns of the files whose bounds, in their statistics or their
// folders, allow one of the keys, and makes temporary tables that
// DeltaRewrite::rows reads. Refuses (kInput) a table with rows that are marked as deleted or with
// files outside of its folder. Other faults are those of the place.
Result<DeltaRewrite> FindRewrite(const duck::Connection& connection, const Store& store,
                                 const std::string& rows, const std::vector<Json>& files,
                                 const std::vector<LakeColumn>& columns,
                                 const std::vector<std::string>& partitions);

}  // namespace protium
