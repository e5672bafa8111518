// SPDX-License-Identifier: Apache-2.0
#include "local/lake_upsert.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "local/lake_files.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {

LakeUpsert::LakeUpsert(const duck::Connection& connection, const Store& store, std::string rows,
                       const std::vector<LakeColumn>& columns)
    : connection_(connection), store_(store), rows_(std::move(rows)), columns_(columns) {}

Status LakeUpsert::MakeKeys() {
  std::string keys;
  for (const std::string& key : store_.keys) {
    keys += fmt::format("{0}CAST({1} AS {2}) AS {1}", keys.empty() ? "" : ", ", DuckDbName(key),
                        TypeOf(key));
  }
  return duck::Do(connection_, fmt::format("CREATE OR REPLACE TEMP TABLE {} AS SELECT {} FROM {}",
                                           kKeys, keys, rows_));
}

std::string LakeUpsert::Matched(const std::string& existing) const {
  return fmt::format("({}) e SEMI JOIN {} k ON {}", existing, kKeys, SameKey());
}

std::string LakeUpsert::NewRows() const {
  std::string list;
  for (const LakeColumn& each : columns_) {
    list += fmt::format("{0}CAST({1} AS {2}) AS {1}", list.empty() ? "" : ", ",
                        DuckDbName(each.name), each.type);
  }
  return fmt::format("(SELECT {} FROM {})", list, rows_);
}

std::string LakeUpsert::NewRowsBeside(const std::string& existing) const {
  std::string names;
  for (const LakeColumn& each : columns_) {
    names += (names.empty() ? "e." : ", e.") + DuckDbName(each.name);
  }
  return fmt::format("({} UNION ALL SELECT {} FROM ({}) e ANTI JOIN {} k ON {})", NewRows(), names,
                     existing, kKeys, SameKey());
}

const std::string& LakeUpsert::TypeOf(const std::string& column) const {
  return std::ranges::find(columns_, column, &LakeColumn::name)->type;
}

std::string LakeUpsert::SameKey() const {
  std::string same;
  for (const std::string& key : store_.keys) {
    same += fmt::format("{0}e.{1} = k.{1}", same.empty() ? "" : " AND ", DuckDbName(key));
  }
  return same;
}

Result<std::string> MarkOfRows(const duck::Connection& connection, const Store& store,
                               const std::string& rows) {
  const std::string mark = MarkOf(store);
  if (store.mode != StoreMode::kUpsert) return mark;
  PT_LET(const std::string sum,
         duck::AskText(connection,
                       "SELECT coalesce(CAST(sum(hash(r)) AS VARCHAR), '') FROM " + rows + " r"));
  return mark + " rows " + sum;
}

}  // namespace protium
