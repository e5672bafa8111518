// SPDX-License-Identifier: Apache-2.0
#include "job/model_tables.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "base/nearest.h"
#include "format/csv_options.h"
#include "format/file_form.h"
#include "format/object_files.h"
#include "frame/named_tables.h"
#include "sources/object_store.h"
#include "sources/source.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The format of a table in files; none for others, and for a file whose name does not say it.
std::optional<Format> FormatAtStore(const JobTable& table) {
  if (table.parquet) return Format::kParquet;
  if (table.csv) return Format::kCsv;
  if (!table.file || table.format) return table.format;
  const auto form = FormOfName(*table.file);
  return form ? std::optional(form->format) : std::nullopt;
}

SourceKind KindOfSource(const JobTable& table) {
  if (table.sqlite) return SourceKind::kSqlite;
  if (table.excel) return SourceKind::kExcel;
  if (table.delta) return SourceKind::kDelta;
  if (table.iceberg) return SourceKind::kIceberg;
  if (const auto format = FormatAtStore(table)) {
    // What is not read there is refused by CheckFileAtStore().
    return KindOfFiles(*format).value_or(SourceKind::kParquet);
  }
  if (table.postgres) return SourceKind::kPostgres;
  return table.mysql ? SourceKind::kMysql : SourceKind::kDuckDb;
}

// `at` is a URL, or the name of a connection.
Result<Connection> FindConnection(const std::string& at,
                                  const std::optional<PasswordPlace>& password,
                                  const ByName<Connection>& connections) {
  if (at.find("://") != at.npos) return Connection{at, password.value_or(PasswordPlace())};
  std::vector<std::string> known;
  for (const auto& [name, connection] : connections.all) {
    if (name == at) return connection;
    known.push_back(name);
  }
  std::string fix = Suggest(at, known);
  if (known.empty()) {
    fix = fmt::format("add  [connections.{}]  with  url = \"postgresql://user@host/database\"", at);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "there is no connection \"" + at + "\"",
               .fix = std::move(fix)});
}

std::vector<Connection> StoresOf(const ByName<Connection>& connections) {
  std::vector<Connection> stores;
  for (const auto& [name, connection] : connections.all) {
    if (IsObjectPlace(connection.url)) stores.push_back(connection);
  }
  return stores;
}

Status CheckFileAtStore(const JobTable& table) {
  if (table.file && !table.format) PT_TRY(FormNamed(*table.file).status());
  const auto format = FormatAtStore(table);
  if (!format) return Status::OK();
  PT_TRY(CheckOptionsFit(*format, table.options));
  if (KindOfFiles(*format)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "of files at an object store, Parquet, CSV and JSON lines are read",
               .where = PathOf(table),
               .fix = "copy the file to this machine"});
}

}  // namespace

const std::string& PathOf(const JobTable& table) {
  static const std::string kNone;
  for (const auto* each : {&table.file, &table.duckdb, &table.sqlite, &table.excel, &table.delta,
                           &table.iceberg, &table.csv, &table.parquet}) {
    if (*each) return **each;
  }
  return kNone;
}

std::string PlaceIn(const std::string& data, const JobTable& table) {
  const std::string& path = PathOf(table);
  return IsObjectPlace(path) || IsKeptPlace(path) ? path : (fs::path(data) / path).string();
}

Result<Source> SourceOf(const JobTable& table, const std::string& path,
                        const ByName<Connection>& connections) {
  Source source{.kind = KindOfSource(table)};
  source.table = table.table.value_or(table.sheet.value_or(""));
  source.query = table.query.value_or("");
  source.version = table.version;
  source.as_of = table.timestamp.value_or("");
  source.partitions = table.partitions;
  if (table.catalog) {
    // "sales.prices" of a catalogue; where it lies, the catalogue says.
    source.table = *table.iceberg;
    source.stores = StoresOf(connections);
    PT_LET(source.connection, FindConnection(*table.catalog, table.password, connections));
  } else if (!RowOf(source.kind).server) {
    if (IsObjectPlace(path)) PT_TRY(CheckFileAtStore(table));
    source.file = path;
    source.stores = StoresOf(connections);
  } else {
    const std::string& at = table.postgres ? *table.postgres : *table.mysql;
    PT_LET(source.connection, FindConnection(at, table.password, connections));
  }
  PT_TRY(CheckSource(source));
  return source;
}

Result<Source> TargetOf(const JobOutput& output, const std::string& data,
                        const ByName<Connection>& connections) {
  JobTable table;
  table.sqlite = output.sqlite;
  table.duckdb = output.duckdb;
  table.postgres = output.postgres;
  table.mysql = output.mysql;
  table.delta = output.delta;
  table.iceberg = output.iceberg;
  table.catalog = output.catalog;
  table.table = output.table;
  table.password = output.password;
  return SourceOf(table, PlaceIn(data, table), connections);
}

JobOutput OutputOf(const StreamSinkOptions& sink) {
  JobOutput output;
  output.sqlite = sink.sqlite;
  output.duckdb = sink.duckdb;
  output.postgres = sink.postgres;
  output.mysql = sink.mysql;
  output.delta = sink.delta;
  output.table = sink.table;
  output.mode = StoreMode::kAppend;
  output.password = sink.password;
  return output;
}

DataFrame OpenTable(const Reader& reader, const JobTable& table, const std::string& path,
                    const ByName<Connection>& connections, const SchemaPtr& known) {
  if (table.sources() > 0) {
    const Result<Source> source = SourceOf(table, path, connections);
    return source.ok() ? reader.From(*source, table.options, known)
                       : reader.Refused(source.status());
  }
  if (table.table) return reader.Table(*table.table);
  if (table.file && !table.format) return reader.File(path, table.options, known);
  const Format format = table.format.value_or(table.csv ? Format::kCsv : Format::kParquet);
  return reader.File(path, format, table.options, known);
}

Result<fs::path> TableBelow(const fs::path& data, const std::string& name, const JobTable& table) {
  const bool object = IsObjectPlace(PathOf(table)), kept = IsKeptPlace(PathOf(table));
  if (table.postgres || table.mysql || object || kept) {
    const char* const place = object ? "at an object store" : "on a server";
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("table \"{}\" of this model lay {}", name,
                                     kept ? "in the store, " + PathOf(table) : place),
                 .where = "etl.json of the model",
                 .why = kept ? "the rows to score are others" : "a model calls no server by itself",
                 .fix = fmt::format("say where it is: --table {}=PLACE, or give the table that the "
                                    "model's SQL would make: --input FILE",
                                    name)});
  }
  const fs::path path = PathOf(table);
  const fs::path below = path.lexically_normal();
  if (!below.empty() && below.is_relative() && *below.begin() != "..") return data / below;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("table \"{}\" of this model is not below a data folder: \"{}\"",
                                   name, path.string()),
               .where = "etl.json of the model",
               .why = "a model reads only what --data and --input name",
               .fix = "give the table that the model's SQL would make: --input FILE"});
}

}  // namespace protium
