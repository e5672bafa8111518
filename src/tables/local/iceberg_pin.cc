// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "local/source_listing.h"
#include "sources/catalog.h"
#include "sources/password.h"
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

// DuckDB says "HTTP 0" of an answer that refuses who asks.
Status CatalogFault(const Source& source, const Status& status) {
  const std::string said = FaultOf(status).what;
  const auto says = [&](std::string_view words) { return said.find(words) != said.npos; };
  const bool refused = says("HTTP 0") || says("HTTP 401") || says("HTTP 403");
  const bool missing = says("HTTP 404");
  return Fail({.exit = missing ? Exit::kInput : Exit::kRemote,
               .what = missing   ? "the catalogue has no table \"" + source.table + "\""
                       : refused ? "the catalogue refuses the token, or fails"
                                 : "the catalogue does not answer",
               .where = PlaceOf(source),
               .why = said.substr(0, said.find('\n')),
               .fix = refused
                          ? "the token is taken from " + DescribePlace(source.connection.password)
                          : ""});
}

// The answer of a catalogue, asked by DuckDB, which checks certificates and has time limits.
Result<Json> AskCatalog(const duck::Connection& connection, const Source& source,
                        const std::string& address) {
  const auto text =
      duck::AskText(connection, "SELECT content FROM read_text(" + DuckDbText(address) + ")");
  if (!text.ok()) return CatalogFault(source, text.status());
  const Result<Json> answer = ParseJson(*text);
  if (answer.ok() && answer->is_object()) return answer;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue does not speak Iceberg's REST protocol",
               .where = address});
}

std::string TextAt(const Json& json, const std::string& part, const std::string& key) {
  if (!json.contains(part) || !json[part].is_object()) return {};
  const Json& of = json[part];
  return of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : std::string();
}

}  // namespace

Result<std::string> FindInCatalog(const duck::Connection& connection, const Source& source) {
  const std::string& url = source.connection.url;
  PT_LET(const Json config, AskCatalog(connection, source, ConfigAddress(url)));
  std::string prefix = TextAt(config, "overrides", "prefix");
  if (prefix.empty()) prefix = TextAt(config, "defaults", "prefix");
  PT_LET(const Json table, AskCatalog(connection, source, TableAddress(url, prefix, source.table)));
  const std::string place =
      table.contains("metadata-location") && table["metadata-location"].is_string()
          ? table["metadata-location"].get<std::string>()
          : std::string();
  if (place.ends_with(".json")) return place.starts_with("file://") ? place.substr(7) : place;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue does not say where the table lies",
               .where = TableAddress(url, prefix, source.table)});
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
