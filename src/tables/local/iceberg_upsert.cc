// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_upsert.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"
#include "local/lake_upsert.h"
#include "local/source_faults.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// The rows of the newest snapshot, in the newest columns: a snapshot that is named has its own.
std::string NewestRows(const IcebergTable& table) {
  return "iceberg_scan(" + DuckDbText(table.file) + ")";
}

// The files as the reader names them.
Result<Json> FilesWithKeys(const duck::Connection& connection, const Source& folder,
                           const LakeUpsert& upsert, const IcebergTable& table) {
  const std::string existing = "SELECT *, filename AS pt_file FROM " + NewestRows(table);
  const auto text = duck::AskText(
      connection, "SELECT coalesce(CAST(to_json(list(DISTINCT pt_file)) AS VARCHAR), '[]') FROM " +
                      upsert.Matched(existing));
  PT_TRY(PlaceFault(folder, text.status()));
  return ParseJson(*text);
}

}  // namespace

Status CheckUpsertNames(const arrow::Schema& rows, const std::string& place) {
  for (const std::string& name : rows.field_names()) {
    if (Lower(name) != "filename") continue;
    return Fail(
        {.exit = Exit::kInput,
         .what = fmt::format("a table of Iceberg with a column \"{}\" takes no upsert", name),
         .where = place,
         .why = "the file of each row is found under that name",
         .fix = "give the column another name, or append to the table",
         .kept = "the table as it was"});
  }
  return Status::OK();
}

Result<IcebergRewrite> FindIcebergRewrite(const duck::Connection& connection, const Store& store,
                                          const Source& folder, const IcebergTable& table,
                                          const std::string& rows,
                                          const std::vector<LakeColumn>& columns) {
  LakeUpsert upsert(connection, store, rows, columns);
  IcebergRewrite rewrite{.rows = upsert.NewRows()};
  if (!table.newest()) return rewrite;
  PT_TRY(upsert.MakeKeys());
  PT_LET(const Json files, FilesWithKeys(connection, folder, upsert, table));
  if (files.empty()) return rewrite;
  std::string list;
  for (const Json& each : files) {
    const std::string file = each.get<std::string>();
    rewrite.removed.insert(PlaceOfLocation(file));
    list += (list.empty() ? "" : ", ") + DuckDbText(file);
  }
  rewrite.rows = upsert.NewRowsBeside(
      fmt::format("SELECT * FROM {} WHERE filename IN ({})", NewestRows(table), list));
  return rewrite;
}

}  // namespace protium
