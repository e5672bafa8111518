// SPDX-License-Identifier: Apache-2.0
#include "local/source_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "local/sources.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// More would be of no use to people, and the catalogue is a stranger's.
constexpr int kMostTables = 10'000;

// Tables that the user may read, with the estimates of the last ANALYZE or VACUUM; a table that had
// neither has no pages in the catalogue.
constexpr const char* kPostgres = R"sql(
SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
  CASE WHEN c.relpages > 0 OR c.reltuples > 0 THEN CAST(c.reltuples AS bigint) ELSE -1 END AS n,
  CASE WHEN c.relpages > 0
    THEN c.relpages * CAST(current_setting('block_size') AS bigint) ELSE -1 END AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname NOT LIKE 'pg\_%' AND has_table_privilege(c.oid, 'SELECT'))sql";

constexpr const char* kMysql = R"sql(
SELECT table_name AS name, coalesce(table_rows, -1) AS n, coalesce(data_length, -1) AS bytes
FROM information_schema.tables WHERE table_schema = DATABASE())sql";

// For files: DuckDB asks SQLite for the greatest row number.
std::string ListOfFile(const std::string& attached) {
  const std::string at = DuckDbText(attached);
  const char* const name =
      "CASE WHEN schema_name = 'main' THEN {0} ELSE schema_name || '.' || {0} END";
  return fmt::format(
      "SELECT {} AS name, estimated_size AS n, -1 AS bytes FROM duckdb_tables() WHERE "
      "database_name = {} UNION ALL SELECT {}, -1, -1 FROM duckdb_views() WHERE "
      "database_name = {} AND NOT internal",
      fmt::format(fmt::runtime(name), "table_name"), at,
      fmt::format(fmt::runtime(name), "view_name"), at);
}

std::string ListText(const Source& source) {
  const std::string attached = AttachedName(source);
  const SourceKindRow& row = RowOf(source.kind);
  if (!row.server) return ListOfFile(attached);
  return fmt::format("SELECT * FROM {}({}, {})", row.query, DuckDbText(attached),
                     DuckDbText(source.kind == SourceKind::kPostgres ? kPostgres : kMysql));
}

DatabaseTable TableIn(const Json& row) {
  const auto number = [&](const char* key) {
    const Json value = row.value(key, Json());
    return value.is_number() ? value.get<int64_t>() : int64_t{-1};
  };
  const Json name = row.value("name", Json());
  return {name.is_string() ? name.get<std::string>() : "", number("n"), number("bytes")};
}

}  // namespace

Result<std::vector<DatabaseTable>> ListSourceTables(const DatabaseOptions& options,
                                                    const Source& source) {
  const bool files = source.kind == SourceKind::kSqlite || source.kind == SourceKind::kDuckDb;
  if (!files && !RowOf(source.kind).server) return std::vector<DatabaseTable>();
  const Database database(options);
  PT_LET(const duck::Connection connection, database.Connect());
  OpenSources sources;
  PT_TRY(sources.OpenToRead(connection, source).status());
  PT_LET(const std::string text,
         duck::AskText(connection,
                       fmt::format("SELECT coalesce(CAST(to_json(list(t ORDER BY name)) AS "
                                   "VARCHAR), '[]') FROM (SELECT name, CAST(n AS BIGINT) AS n, "
                                   "CAST(bytes AS BIGINT) AS bytes FROM ({}) LIMIT {}) t",
                                   ListText(source), kMostTables)));
  PT_LET(const Json rows, ParseJson(text));
  std::vector<DatabaseTable> tables;
  for (const Json& row : rows) tables.push_back(TableIn(row));
  return tables;
}

}  // namespace protium
