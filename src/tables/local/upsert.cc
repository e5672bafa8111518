// SPDX-License-Identifier: Apache-2.0
#include "local/upsert.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "engine/key_faults.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// As the server's own SQL writes it.
std::string Native(const Store& store, const std::string& name) {
  return InQuotes(name, QuoteOf(store.target.kind));
}

std::string List(const Columns& names, const std::string& before) {
  std::string list;
  for (const std::string& name : names)
    list += (list.empty() ? "" : ", ") + before + DuckDbName(name);
  return list;
}

}  // namespace

Status CheckRowKeys(const duck::Connection& connection, const Store& store,
                    const std::string& rows) {
  for (const std::string& key : store.keys) {
    PT_LET(const std::string nulls,
           duck::AskText(connection, fmt::format("SELECT CAST(count(*) AS VARCHAR) FROM {} WHERE "
                                                 "{} IS NULL",
                                                 rows, DuckDbName(key))));
    if (nulls == "0") continue;
    return RefuseNullKeys(store, key, nulls);
  }
  std::string text;
  for (const std::string& key : store.keys) {
    text += (text.empty() ? "" : " || ', ' || ") +
            fmt::format("CAST(any_value({}) AS VARCHAR)", DuckDbName(key));
  }
  PT_LET(const std::string twice,
         duck::AskText(
             connection,
             fmt::format("SELECT coalesce((SELECT '=' || {} FROM {} GROUP BY {} HAVING count(*) "
                         "> 1 LIMIT 1), '')",
                         text, rows, List(store.keys, ""))));
  // Behind a sign that tells an empty key from none.
  return twice.empty() ? Status::OK() : RefuseEqualKeys(store, twice.substr(1));
}

UpsertKeys::UpsertKeys(const duck::Connection& connection, const Store& store, std::string database,
                       std::string table)
    : connection_(connection),
      store_(store),
      server_(RowOf(store.target.kind).server),
      table_(std::move(table)),
      keys_(std::move(database)) {
  const std::vector<std::string> parts = NameParts(store.target.table);
  const std::string own =
      "protium_keys_" + Sha256Hex(store.run + "\n" + store.output).substr(0, 16);
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    native_table_ += (i == 0 ? "" : ".") + Native(store, parts[i]);
    native_keys_ += (i == 0 ? "" : ".") + Native(store, last ? own : parts[i]);
    keys_ += "." + DuckDbName(last ? own : parts[i]);
  }
}

Status UpsertKeys::OnServer(const std::string& sql) {
  const char* const call =
      store_.target.kind == SourceKind::kMysql ? "mysql_execute" : "postgres_execute";
  return duck::Do(connection_,
                  fmt::format("CALL {}({}, {})", call, DuckDbText(AttachedName(store_.target)),
                              DuckDbText(sql)));
}

Status UpsertKeys::Make() {
  if (!server_) return Status::OK();
  PT_TRY(OnServer("DROP TABLE IF EXISTS " + native_keys_));
  std::string list;
  for (const std::string& key : store_.keys) {
    list += (list.empty() ? "" : ", ") + Native(store_, key);
  }
  PT_TRY(OnServer(fmt::format("CREATE TABLE {} AS SELECT {} FROM {} WHERE 1 = 0", native_keys_,
                              list, native_table_)));
  // DuckDB has listed the tables already.
  return duck::Do(connection_, store_.target.kind == SourceKind::kMysql ? "CALL mysql_clear_cache()"
                                                                        : "CALL pg_clear_cache()");
}

Status UpsertKeys::Delete(const std::string& rows) {
  const std::string list = List(store_.keys, "");
  if (!server_) {
    return duck::Do(connection_, fmt::format("DELETE FROM {} WHERE ({}) IN (SELECT {} FROM {})",
                                             table_, list, list, rows));
  }
  PT_TRY(duck::Do(connection_,
                  fmt::format("INSERT INTO {} BY NAME SELECT {} FROM {}", keys_, list, rows)));
  std::string same;
  for (const std::string& key : store_.keys) {
    const std::string name = Native(store_, key);
    same += fmt::format("{}k.{} = t.{}", same.empty() ? "" : " AND ", name, name);
  }
  // Both servers delete so, each in its own words.
  return OnServer(
      store_.target.kind == SourceKind::kMysql
          ? fmt::format("DELETE t FROM {} t JOIN {} k ON {}", native_table_, native_keys_, same)
          : fmt::format("DELETE FROM {} t USING {} k WHERE {}", native_table_, native_keys_, same));
}

Status UpsertKeys::Drop() {
  return server_ ? OnServer("DROP TABLE IF EXISTS " + native_keys_) : Status::OK();
}

}  // namespace protium
