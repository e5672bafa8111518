// SPDX-License-Identifier: Apache-2.0
#include "sources/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/json.h"
#include "sources/catalog.h"
#include "sources/object_store.h"
#include "sources/server_url.h"
#include "sources/source_name.h"

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
    {.kind = SourceKind::kIceberg,
     .title = "Iceberg",
     .extension = "iceberg",
     .beneath = "avro",
     .set_up = "iceberg",
     .folder = true},
    {.kind = SourceKind::kParquet, .title = "Parquet", .folder = true},
    {.kind = SourceKind::kCsv, .title = "CSV", .folder = true, .copied = true},
    {.kind = SourceKind::kJsonLines, .title = "JSON lines", .folder = true, .copied = true},
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

// Spreadsheets have a first sheet, and the tables of lakes are the folders themselves.
bool NeedsTable(SourceKind kind) { return kind != SourceKind::kExcel && !RowOf(kind).folder; }

bool HasVersions(SourceKind kind) {
  return kind == SourceKind::kDelta || kind == SourceKind::kIceberg;
}

Status CheckPlace(const Source& source) {
  const SourceKindRow& row = RowOf(source.kind);
  if (row.server) {
    PT_LET(const ServerUrl url, ReadServerUrl(source.connection.url));
    if (url.scheme == row.scheme) return Status::OK();
    return Refuse(source, fmt::format("{} is not at a {} URL", row.title, url.scheme),
                  fmt::format("write the URL as {}://user@host/database", row.scheme));
  }
  if (IsOfCatalog(source)) {
    PT_TRY(CheckCatalogUrl(source.connection.url));
    if (NameParts(source.table).size() > 1) return Status::OK();
    return Refuse(source, "a table of a catalogue needs a name with its namespace",
                  "write it as iceberg = \"sales.prices\"");
  }
  if (source.file.empty()) {
    return Refuse(source, fmt::format("a table of {} needs its file", row.title), "");
  }
  PT_TRY(CheckNoKeyIn(source.file));
  const bool object = IsObjectPlace(source.file);
  if (object && !row.folder) {
    return Refuse(source, fmt::format("{} is not read at an object store", row.title),
                  "copy the file to this machine; Parquet, CSV, JSON lines, Delta and Iceberg are "
                  "read there");
  }
  return Status::OK();
}

Status CheckVersion(const Source& source) {
  const SourceKindRow& row = RowOf(source.kind);
  if ((source.version || !source.as_of.empty()) && !HasVersions(source.kind)) {
    return Refuse(source, fmt::format("tables of {} have no versions", row.title),
                  "leave version and timestamp out");
  }
  if (source.version && !source.as_of.empty()) {
    return Refuse(source, "the table has both a version and a timestamp", "leave one of them out");
  }
  return Status::OK();
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
  PT_TRY(CheckPlace(source));
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
  return CheckVersion(source);
}

SourceExtensions ExtensionsOfPlace(const Source& source) {
  if (!IsObjectPlace(source.file)) return {};
  const std::string_view provider = ProviderOf(source.file);
  if (provider == "azure") return {.names = {"azure"}, .set_up = "azure"};
  if (provider == "s3") return {.names = {"httpfs", "aws"}, .set_up = "s3"};
  return {.names = {"httpfs"}, .set_up = "gs"};
}

SourceExtensions ExtensionsOf(const Source& source) {
  const SourceKindRow& row = RowOf(source.kind);
  SourceExtensions all = ExtensionsOfPlace(source);
  const bool both = !row.set_up.empty() && !all.set_up.empty();
  all.set_up = std::string(row.set_up) + (both ? "," : "") + all.set_up;
  if (!row.beneath.empty()) all.names.emplace_back(row.beneath);
  if (!row.extension.empty()) all.names.emplace_back(row.extension);
  return all;
}

std::string PlaceOf(const Source& source) {
  if (IsOfCatalog(source)) return ShowCatalogUrl(source.connection.url);
  if (!RowOf(source.kind).server) return source.file;
  const Result<ServerUrl> url = ReadServerUrl(source.connection.url);
  return url.ok() ? ShowUrl(*url) : std::string("the connection's URL");
}

bool IsHere(const Source& source) {
  return !RowOf(source.kind).server && !IsOfCatalog(source) && !IsObjectPlace(source.file);
}

std::string PlaceFrom(const std::filesystem::path& base, const Source& source) {
  if (!IsHere(source)) return source.file;
  return std::filesystem::absolute(base / source.file).lexically_normal().string();
}

std::string TableFolder(const std::string& place) {
  if (!place.ends_with(".json")) return place.substr(0, place.find_last_not_of('/') + 1);
  const size_t file = place.rfind('/');
  const size_t folder = file == place.npos ? place.npos : place.rfind('/', file - 1);
  return folder == place.npos ? "." : place.substr(0, folder);
}

std::vector<std::string> OpenedFor(const Source& source) {
  if (RowOf(source.kind).server) return {};
  if (!RowOf(source.kind).folder) return {source.file};
  if (HasVersions(source.kind)) return {TableFolder(source.file) + "/"};
  std::vector<std::string> places;
  for (const SourceObject& object : source.objects) places.push_back(object.place);
  return places;
}

std::string DescribeSource(const Source& source) {
  const std::string_view title = RowOf(source.kind).title;
  const std::string place = PlaceOf(source);
  if (!source.query.empty()) return fmt::format("{} query at {}", title, place);
  if (source.version) {
    return fmt::format("{} table {}, {} {}", title, place,
                       source.kind == SourceKind::kIceberg ? "snapshot" : "version",
                       *source.version);
  }
  if (!source.as_of.empty()) return fmt::format("{} table {} at {}", title, place, source.as_of);
  if (source.table.empty()) return fmt::format("{} table {}", title, place);
  return fmt::format("{} table {} of {}", title, source.table, place);
}

std::string ObjectsDigest(const std::vector<SourceObject>& objects) {
  return Sha256Hex(Dump(FieldsToJson(objects)));
}

std::string SourceKey(const Source& source) {
  Json key = {{"kind", FieldsToJson(source.kind)},
              {"place", PlaceOf(source)},
              {"table", source.table},
              {"query", source.query}};
  if (source.version) key["version"] = *source.version;
  if (IsOfCatalog(source)) key["catalog"] = source.connection.url;
  if (!source.as_of.empty()) key["at"] = source.as_of;
  if (!source.partitions.empty()) key["partitions"] = source.partitions;
  // Two lists of objects are two tables, wherever they lie.
  if (!source.objects.empty()) key["objects"] = ObjectsDigest(source.objects);
  return Dump(key);
}

}  // namespace protium
