// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "iceberg/rest_catalog.h"
#include "iceberg/table.h"
#include "local/source_listing.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// Two files of metadata with one number are of writers that met; a catalogue knows which of them
// won, and a folder does not.
Result<std::string> NewestMetadata(const duck::Connection& connection, const Source& source) {
  const std::string pattern = DuckDbPath(TableFolder(source.file)) + "/metadata/*.metadata.json";
  PT_LET(const auto files,
         AskSource(connection, source, "file", "glob(" + DuckDbText(pattern) + ")"));
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

}  // namespace

Result<std::string> MetadataFile(const Json& answer, const Source& source) {
  const std::string place = PlaceOfLocation(TextAt(answer, "metadata-location"));
  if (place.ends_with(".json")) return place;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue does not say where the table lies",
               .where = DescribeSource(source)});
}

Result<std::string> FindInCatalog(const Source& source) {
  PT_LET(const RestCatalog catalog, RestCatalog::Open(source.connection));
  PT_LET(const auto table, catalog.Load(source.table));
  if (!table) {
    return Fail({.exit = Exit::kInput,
                 .what = "the catalogue has no table \"" + source.table + "\"",
                 .where = PlaceOf(source)});
  }
  return MetadataFile(*table, source);
}

Result<Source> PinIceberg(const duck::Connection& connection, Source source) {
  if (!source.file.ends_with(".json")) {
    PT_LET(source.file, NewestMetadata(connection, source));
  }
  const std::string snapshots = "iceberg_snapshots(" + DuckDbText(source.file) + ")";
  if (!source.as_of.empty()) {
    PT_LET(source.version,
           VersionAt(connection, source,
                     "CAST(epoch_us(CAST(timestamp_ms AS TIMESTAMP)) AS VARCHAR) || ' ' || "
                     "CAST(snapshot_id AS VARCHAR)",
                     snapshots));
    source.as_of.clear();
    return source;
  }
  if (source.version) {
    const std::string same = fmt::format(" WHERE snapshot_id = {}", *source.version);
    PT_LET(const auto known,
           AskSource(connection, source, "CAST(snapshot_id AS VARCHAR)", snapshots + same));
    if (known.empty()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the Iceberg table has no snapshot {}", *source.version),
                   .where = source.file});
    }
  }
  return source;
}

}  // namespace protium
