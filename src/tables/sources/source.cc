// SPDX-License-Identifier: Apache-2.0
#include "sources/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "sources/server_url.h"

namespace protium {
namespace {

constexpr SourceKindRow kKinds[] = {
    {.kind = SourceKind::kDuckDb, .title = "DuckDB"},
    {.kind = SourceKind::kSqlite,
     .title = "SQLite",
     .extension = "sqlite_scanner",
     .set_up = "sqlite"},
    {.kind = SourceKind::kExcel, .title = "Excel", .extension = "excel", .set_up = "excel"},
    {.kind = SourceKind::kDelta,
     .title = "Delta",
     .extension = "delta",
     .set_up = "delta",
     .folder = true},
    {.kind = SourceKind::kPostgres,
     .title = "PostgreSQL",
     .extension = "postgres_scanner",
     .set_up = "postgres",
     .server = true,
     .scheme = "postgresql",
     .port = 5432,
     .query = "postgres_query"},
    {.kind = SourceKind::kMysql,
     .title = "MySQL",
     .extension = "mysql_scanner",
     .set_up = "mysql",
     .server = true,
     .scheme = "mysql",
     .port = 3306,
     .query = "mysql_query"}};

Status Refuse(const Source& source, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = PlaceOf(source),
               .fix = std::move(fix)});
}

// Spreadsheets have a first sheet, and a Delta table is the folder itself.
bool NeedsTable(SourceKind kind) {
  return kind != SourceKind::kExcel && kind != SourceKind::kDelta;
}

}  // namespace

std::span<const SourceKindRow> SourceKinds() { return kKinds; }

const SourceKindRow& RowOf(SourceKind kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &SourceKindRow::kind);
  PT_CHECK(found != std::end(kKinds));
  return *found;
}

Status CheckSource(const Source& source) {
  const SourceKindRow& row = RowOf(source.kind);
  if (row.server) {
    PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
    if (url.scheme != row.scheme) {
      return Refuse(source, fmt::format("{} is not at a {} URL", row.title, url.scheme),
                    fmt::format("write the URL as {}://user@host/database", row.scheme));
    }
  } else if (source.file.empty()) {
    return Refuse(source, fmt::format("a table of {} needs its file", row.title), "");
  }
  if (!source.query.empty() && row.query.empty()) {
    return Refuse(source, fmt::format("{} takes no query", row.title),
                  "name the table, and write the query as the job's SQL");
  }
  const int said = !source.table.empty() + !source.query.empty();
  if (said > 1 || (said == 0 && NeedsTable(source.kind))) {
    return Refuse(source,
                  fmt::format("a table of {} needs {}", row.title,
                              row.query.empty() ? "its name" : "one of table and query"),
                  said > 1 ? "leave one of them out" : "add table = \"NAME\"");
  }
  if (source.version && source.kind != SourceKind::kDelta) {
    return Refuse(source, fmt::format("tables of {} have no versions", row.title),
                  "leave version out");
  }
  return Status::OK();
}

std::string PlaceOf(const Source& source) {
  if (!RowOf(source.kind).server) return source.file;
  const Result<ServerUrl> url = ReadServerUrl(source.connection.url);
  return url.ok() ? ShowUrl(*url) : std::string("the connection's URL");
}

std::string DescribeSource(const Source& source) {
  const std::string_view title = RowOf(source.kind).title;
  const std::string place = PlaceOf(source);
  if (!source.query.empty()) return fmt::format("{} query at {}", title, place);
  if (source.version) return fmt::format("{} table {}, version {}", title, place, *source.version);
  if (source.table.empty()) return fmt::format("{} table {}", title, place);
  return fmt::format("{} table {} of {}", title, source.table, place);
}

std::string SourceKey(const Source& source) {
  Json key = {{"kind", FieldsToJson(source.kind)},
              {"place", PlaceOf(source)},
              {"table", source.table},
              {"query", source.query}};
  if (source.version) key["version"] = *source.version;
  return Dump(key);
}

}  // namespace protium
