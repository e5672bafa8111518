// SPDX-License-Identifier: Apache-2.0
#include "app/run/scored_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "sources/source_name.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Status RefuseTable(std::string what, const std::string& where, std::string fix) {
  return Fail(
      {.exit = Exit::kUsage, .what = std::move(what), .where = where, .fix = std::move(fix)});
}

// Rows are not lost because a name was typed by mistake.
Status CheckFree(const ScoredTable& scored) {
  std::error_code error;
  const TypedPlace& place = scored.place;
  if (place.source->kind == SourceKind::kDelta) {
    return RefuseTable("the Delta table already exists", place.text(),
                       "--mode append adds rows to it, --force replaces its rows");
  }
  if (!place.elsewhere() && !fs::exists(place.path, error)) return Status::OK();
  PT_LET(const auto tables, TablesOf(*place.source));
  const bool taken = std::ranges::any_of(tables, [&](const DatabaseTable& each) {
    return IsListedAs(each.name, place.source->table);
  });
  if (!taken) return Status::OK();
  return RefuseTable(
      fmt::format("the table {} already exists", place.source->table), place.text(),
      "--mode append or --upsert COLUMNS adds rows to it, --force replaces its rows");
}

Status CheckOnlyForTables(const Arguments& arguments) {
  for (const char* flag : {"--mode", "--upsert"}) {
    if (!arguments.Has(flag)) continue;
    return RefuseTable(fmt::format("{} is for tables in databases", flag),
                       arguments.Value("--output"),
                       "--output postgres://user@host/database#TABLE, or leave it out");
  }
  return Status::OK();
}

}  // namespace

std::vector<Flag> ScoredTableFlags() {
  return {
      {"--mode", "MODE", "for an output in a database: replace (the default), append or upsert",
       ""},
      {"--upsert", "A,B", "replaces rows with equal values in these columns, adds the others", ""}};
}

Columns ColumnsIn(const std::string& list) {
  Columns columns;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) columns.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return columns;
}

Result<std::optional<ScoredTable>> ReadScoredTable(const Arguments& arguments) {
  PlaceGiven given;
  // A password may be that of the input.
  const std::string typed = arguments.Value("--output");
  if (typed.find("://") != typed.npos) {
    PT_LET(given.password, ReadPasswordFlags(arguments));
  }
  ScoredTable scored;
  PT_LET(scored.place, ReadPlace(typed, given, true));
  if (typed == "-" || !scored.place.source) {
    PT_TRY(CheckOnlyForTables(arguments));
    return std::nullopt;
  }
  if (scored.place.source->kind == SourceKind::kExcel || scored.place.source->version) {
    return RefuseTable(
        "scored rows cannot be written to such a table", typed,
        "write a file, a Delta table, or a table of SQLite, DuckDB, PostgreSQL or MySQL");
  }
  if (scored.place.is_database()) {
    return RefuseTable("the output is a database without a table", typed,
                       fmt::format("--output '{}#TABLE'", typed));
  }
  scored.keys = ColumnsIn(arguments.Value("--upsert"));
  scored.mode = scored.keys.empty() ? StoreMode::kReplace : StoreMode::kUpsert;
  if (arguments.Has("--mode")) {
    PT_TRY(FieldsFromJson(Json(arguments.Value("--mode")), "--mode", scored.mode));
  }
  if ((scored.mode == StoreMode::kUpsert) == scored.keys.empty()) {
    return RefuseTable("an upsert needs --upsert COLUMNS, and nothing else does", "--mode",
                       "--upsert id");
  }
  if (scored.mode == StoreMode::kReplace && !arguments.Has("--force")) PT_TRY(CheckFree(scored));
  return std::optional(std::move(scored));
}

}  // namespace protium
