// SPDX-License-Identifier: Apache-2.0
#include "local/source_pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "base/fault.h"
#include "format/partitions.h"
#include "local/source_faults.h"
#include "sources/object_store.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

// DuckDB's glob lists folders of this machine and of object stores alike.

namespace protium {
namespace {

namespace fs = std::filesystem;

// A table of more objects would take minutes to list and to open.
constexpr size_t kMostObjects = 100'000;

Status NoTable(const Source& source, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} is no {} table", source.file, RowOf(source.kind).title),
               .why = std::move(why)});
}

// The rows of a query of one column of text.
Result<std::vector<std::string>> Ask(const duck::Connection& connection, const Source& source,
                                     const std::string& column, const std::string& from) {
  auto text = duck::AskText(connection, fmt::format("SELECT coalesce(string_agg({0}, chr(10) ORDER "
                                                    "BY {0}), '') FROM {1}",
                                                    column, from));
  if (!text.ok() && IsObjectPlace(source.file)) {
    PT_LET(const StoreAccess access, ReadStoreAccess(source));
    return StoreFault(source, access, text.status());
  }
  PT_TRY(OpenFault(source, text.status()));
  std::vector<std::string> lines;
  std::istringstream all(*text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// The whole number that a file's name begins with; -1 if it does not.
int64_t NumberOf(const std::string& file, std::string_view& rest) {
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  int64_t number = -1;
  const char* const begin = name.data() + name.starts_with('v');
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
  rest = std::string_view(end, static_cast<size_t>(name.data() + name.size() - end));
  return error == std::errc() ? number : -1;
}

// When something became current, in microseconds.
struct Moment {
  int64_t micros = 0;
  int64_t version = 0;
};

// The version that was current at the time; `all` are lines of a moment and a version's name.
Result<int64_t> VersionAt(const Source& source, const std::vector<std::string>& all,
                          const std::string& as_of) {
  std::optional<Moment> found;
  int64_t wanted = 0;
  std::from_chars(as_of.data(), as_of.data() + as_of.size(), wanted);
  for (const std::string& line : all) {
    Moment moment;
    std::string version;
    std::istringstream(line) >> moment.micros >> version;
    std::string_view rest;
    moment.version = NumberOf(version, rest);
    if (moment.micros > wanted) continue;
    if (!found || moment.micros >= found->micros) found = moment;
  }
  if (found) return found->version;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the {} table has no version as old as {}",
                                   RowOf(source.kind).title, source.as_of),
               .where = source.file});
}

Result<int64_t> ResolveTime(const duck::Connection& connection, const Source& source,
                            const std::string& column, const std::string& from) {
  const auto wanted =
      duck::AskText(connection, "SELECT CAST(epoch_us(CAST(" + DuckDbText(source.as_of) +
                                    " AS TIMESTAMP)) AS VARCHAR)");
  if (!wanted.ok()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + source.as_of + "\" is no time",
                 .where = source.file,
                 .fix = "write it as 2026-11-01 or 2026-11-01 12:30:00, in UTC"});
  }
  PT_LET(const auto lines, Ask(connection, source, column, from));
  return VersionAt(source, lines, *wanted);
}

// By the names of the files of its log: 00000000000000000012.json.
Result<Source> PinDelta(const duck::Connection& connection, Source source) {
  const std::string log = DuckDbPath(source.file) + "/_delta_log/*";
  PT_LET(const auto files, Ask(connection, source, "file", "glob(" + DuckDbText(log) + ")"));
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
         ResolveTime(connection, source,
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

// Two files of metadata with one number are of writers that met; a catalogue knows which of them
// won, and a folder does not.
Result<std::string> NewestMetadata(const duck::Connection& connection, const Source& source) {
  const std::string pattern = DuckDbPath(TableFolder(source.file)) + "/metadata/*.metadata.json";
  PT_LET(const auto files, Ask(connection, source, "file", "glob(" + DuckDbText(pattern) + ")"));
  int64_t newest = -1;
  std::vector<std::string> of_newest;
  for (const std::string& file : files) {
    std::string_view rest;
    const int64_t number = NumberOf(file, rest);
    if (number > newest) of_newest.clear();
    newest = std::max(newest, number);
    if (number == newest) of_newest.push_back(file);
  }
  if (of_newest.size() == 1 && newest >= 0) return of_newest.front();
  if (of_newest.empty()) return NoTable(source, "it has no file metadata/*.metadata.json");
  return Fail(
      {.exit = Exit::kInput,
       .what = "the folder does not tell which of its files is the newest table",
       .where = source.file,
       .why = fmt::format("{}", fmt::join(of_newest, ", ")),
       .fix = "ask its catalogue, and name that file: iceberg = \".../metadata/....json\""});
}

Result<Source> PinIceberg(const duck::Connection& connection, Source source) {
  if (!source.file.ends_with(".json")) {
    PT_LET(source.file, NewestMetadata(connection, source));
  }
  const std::string snapshots = "iceberg_snapshots(" + DuckDbText(source.file) + ")";
  if (!source.as_of.empty()) {
    PT_LET(source.version,
           ResolveTime(connection, source,
                       "CAST(epoch_us(CAST(timestamp_ms AS TIMESTAMP)) AS VARCHAR) || ' ' || "
                       "CAST(snapshot_id AS VARCHAR)",
                       snapshots));
    source.as_of.clear();
    return source;
  }
  if (source.version) {
    const std::string same = fmt::format(" WHERE snapshot_id = {}", *source.version);
    PT_LET(const auto known,
           Ask(connection, source, "CAST(snapshot_id AS VARCHAR)", snapshots + same));
    if (known.empty()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the Iceberg table has no snapshot {}", *source.version),
                   .where = source.file});
    }
  }
  return source;
}

// The part of a pattern before its first wildcard, up to a folder.
std::string RootOf(const std::string& pattern) {
  const size_t wild = pattern.find_first_of("*?[");
  const std::string_view plain = std::string_view(pattern).substr(0, wild);
  return std::string(plain.substr(0, plain.rfind('/')));
}

// A folder stands for the Parquet files in it.
std::string PatternOf(const Source& source) {
  const bool file = source.file.ends_with(".parquet") || source.file.find('*') != std::string::npos;
  if (file) return source.file;
  return source.file + (source.file.ends_with('/') ? "" : "/") + "*.parquet";
}

// DuckDB takes the columns of the first file, and would leave out what only others have.
Status CheckSameColumns(const duck::Connection& connection, const Source& source) {
  std::string list;
  for (const SourceObject& object : source.objects) {
    list += (list.empty() ? "" : ", ") + DuckDbText(DuckDbPath(object.place));
  }
  PT_LET(const auto kinds,
         Ask(connection, source, "kind",
             "(SELECT min(file_name) || ': ' || columns AS kind FROM (SELECT file_name, "
             "string_agg(name || ' ' || coalesce(type, 'group'), ', ') AS columns FROM "
             "parquet_schema([" +
                 list + "]) GROUP BY file_name) GROUP BY columns)"));
  if (kinds.size() <= 1) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = "the Parquet files of the table have different columns",
               .where = source.file,
               .why = kinds[0] + "; " + kinds[1],
               .fix = "name them as tables of their own"});
}

Result<Source> PinObjects(const duck::Connection& connection, Source source) {
  PT_LET(const auto lines,
         Ask(connection, source,
             "filename || chr(9) || CAST(size AS VARCHAR) || chr(9) || CAST(last_modified AS "
             "VARCHAR)",
             "read_blob(" + DuckDbText(PatternOf(source)) + ")"));
  if (lines.empty()) {
    return Fail({.exit = Exit::kInput,
                 .what = "no object of the store matches the table's pattern",
                 .where = PatternOf(source)});
  }
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
    source.objects.push_back(std::move(object));
  }
  PT_TRY(CheckSameColumns(connection, source));
  if (!source.partitions.empty()) PT_TRY(FoldersOf(source).status());
  return source;
}

// "s3://lake/a" as the path /lake/a, which has folders.
std::string PathAtStore(const std::string& place) { return place.substr(place.find("://") + 2); }

}  // namespace

bool IsPinned(const Source& source) {
  switch (source.kind) {
    case SourceKind::kDelta:
      return !source.version.has_value();
    case SourceKind::kIceberg:
      return !source.file.ends_with(".json") || source.version || !source.as_of.empty();
    case SourceKind::kParquet:
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
  return ReadPartitions(paths, PathAtStore(RootOf(PatternOf(source))), source.partitions, nullptr);
}

}  // namespace protium
