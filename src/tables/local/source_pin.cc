// SPDX-License-Identifier: Apache-2.0
#include "local/source_pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/fault.h"
#include "format/file_form.h"
#include "format/file_names.h"
#include "format/object_files.h"
#include "format/partitions.h"
#include "local/iceberg_pin.h"
#include "local/source_listing.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

// DuckDB's glob lists folders of this machine and of object stores alike.

namespace protium {
namespace {

namespace fs = std::filesystem;

// A table of more objects would take minutes to list and to open.
constexpr size_t kMostObjects = 100'000;

// By the names of the files of its log: 00000000000000000012.json.
Result<Source> PinDelta(const duck::Connection& connection, Source source) {
  const std::string log = DuckDbPath(source.file) + "/_delta_log/*";
  PT_LET(const auto files, AskSource(connection, source, "file", "glob(" + DuckDbText(log) + ")"));
  int64_t newest = -1;
  for (const std::string& file : files) {
    std::string_view rest;
    const int64_t version = NumberOf(file, rest);
    if (rest == ".json" || rest.starts_with(".checkpoint")) newest = std::max(newest, version);
  }
  if (newest < 0) return NoTable(source, "it has no log of versions, _delta_log");
  source.version = newest;
  if (source.as_of.empty()) return source;
  PT_LET(source.version,
         VersionAt(connection, source,
                   "CAST(1000 * coalesce(commitInfo.inCommitTimestamp, commitInfo.\"timestamp\") "
                   "AS VARCHAR) || ' ' || CAST(regexp_extract(filename, '(\\d+)\\.json$', 1) AS "
                   "BIGINT)",
                   "read_json(" + DuckDbText(DuckDbPath(source.file) + "/_delta_log/*.json") +
                       ", format = 'newline_delimited', filename = true, columns = {commitInfo: "
                       "'STRUCT(\"timestamp\" BIGINT, inCommitTimestamp BIGINT)'}) WHERE "
                       "commitInfo IS NOT NULL"));
  source.as_of.clear();
  return source;
}

// Whether an object that the pattern matches is a file of the table, as it would be here.
bool IsFileOf(const Source& source, const std::string& place) {
  const fs::path path = place.substr(std::min(place.size(), ObjectRoot(source).size() + 1));
  if (std::ranges::any_of(path.parent_path(),
                          [](const fs::path& each) { return IsHiddenName(each.string()); })) {
    return false;
  }
  const std::string name = path.filename().string();
  if (source.kind == SourceKind::kParquet) return place == source.file || !IsHiddenName(name);
  if (IsObjectFolder(source)) return IsLikeOneOf(name, PatternsOf(FormatOfFiles(source.kind)));
  return place == source.file || !(name.empty() || name.starts_with('.'));
}

// DuckDB takes the columns of the first file, and would leave out what only others have.
Status CheckSameColumns(const duck::Connection& connection, const Source& source) {
  PT_LET(const auto kinds,
         AskSource(connection, source, "kind",
                   "(SELECT min(file_name) || ': ' || columns AS kind FROM (SELECT file_name, "
                   "string_agg(name || ' ' || coalesce(type, 'group'), ', ') AS columns FROM "
                   "parquet_schema(" +
                       ObjectList(source) + ") GROUP BY file_name) GROUP BY columns)"));
  if (kinds.size() <= 1) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "the Parquet files of the table have different columns",
               .where = source.file,
               .why = kinds[0] + "; " + kinds[1],
               .fix = "name them as tables of their own"});
}

Result<Source> PinObjects(const duck::Connection& connection, Source source) {
  PT_LET(const auto lines,
         AskSource(connection, source,
                   "filename || chr(9) || CAST(size AS VARCHAR) || chr(9) || CAST(last_modified AS "
                   "VARCHAR)",
                   "read_blob(" + DuckDbText(ObjectPattern(source)) + ")"));
  if (lines.size() > kMostObjects) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the table has {} objects, and {} at most are read",
                                     lines.size(), kMostObjects),
                 .where = source.file,
                 .fix = "name a part of them, or keep the table as Delta or Iceberg"});
  }
  for (const std::string& line : lines) {
    std::istringstream parts(line);
    SourceObject object;
    std::getline(parts, object.place, '\t');
    parts >> object.bytes >> std::ws;
    std::getline(parts, object.changed);
    if (IsFileOf(source, object.place)) source.objects.push_back(std::move(object));
  }
  if (source.objects.empty()) {
    return Fail({.exit = Exit::kInput,
                 .what = "no object of the store matches the table's pattern",
                 .where = ObjectPattern(source)});
  }
  if (!RowOf(source.kind).copied) PT_TRY(CheckSameColumns(connection, source));
  if (!source.partitions.empty()) PT_TRY(FoldersOf(source).status());
  return source;
}

}  // namespace

bool NeedsPin(const Source& source) {
  switch (source.kind) {
    case SourceKind::kDelta:
      return !source.version.has_value();
    case SourceKind::kIceberg:
      return !source.file.ends_with(".json") || source.version || !source.as_of.empty();
    case SourceKind::kParquet:
    case SourceKind::kCsv:
    case SourceKind::kJsonLines:
      return source.objects.empty();
    default:
      return false;
  }
}

Result<Source> FindPin(const duck::Connection& connection, const Source& source) {
  if (source.kind == SourceKind::kDelta) return PinDelta(connection, source);
  if (source.kind == SourceKind::kIceberg) return PinIceberg(connection, source);
  return PinObjects(connection, source);
}

Result<Partitions> FoldersOf(const Source& source) {
  std::vector<std::string> paths;
  for (const SourceObject& object : source.objects) paths.push_back(PathAtStore(object.place));
  return ReadPartitions(paths, PathAtStore(ObjectRoot(source)), source.partitions, nullptr);
}

}  // namespace protium
