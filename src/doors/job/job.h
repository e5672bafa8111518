// SPDX-License-Identifier: Apache-2.0
// What a job file may contain (JobFile, from which docs/job.md's keys, help and the JSON schema
// follow), and a job that has been read from one (Job).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "catalogue/catalogue.h"
#include "engine/kind.h"
#include "flow/options.h"
#include "job/settings.h"
#include "job/unloaded.h"
#include "plan/node.h"
#include "protium/fields.h"
#include "protium/frame.h"
#include "protium/pipeline.h"
#include "protium/search.h"
#include "protium/sources.h"

namespace protium {

// Choice entries in the order of the file, which matters only to people.
template <class T>
struct ByName {
  std::vector<std::pair<std::string, T>> all;
};

template <class T>
Json ToJson(const ByName<T>& named) {
  Json json = Json::object();
  for (const auto& [name, value] : named.all) json[name] = FieldsToJson(value);
  return json;
}

template <class T>
Status FromJson(const Json& json, const std::string& path, ByName<T>& named) {
  if (!json.is_object()) return fields::Refuse(path, "a table of named entries", json);
  for (const auto& [name, value] : json.items()) {
    T read;
    PT_TRY(FieldsFromJson(value, path + "." + name, read));
    named.all.emplace_back(name, std::move(read));
  }
  return Status::OK();
}

template <class T>
FieldType DescribeType(const ByName<T>&) {
  return {.kind = FieldType::Kind::kEntries, .of = {TypeOfField(T())}};
}

// A table: exactly one of `file`, `csv` and `parquet`, each a file, a pattern such as "2013-*.csv",
// or a folder, below JobFile::data; or where else it lies (docs/sources.md).
struct JobTable {
  std::optional<std::string> file;
  std::optional<std::string> csv;
  std::optional<std::string> parquet;
  std::optional<std::string> duckdb;    // A database file that contains the table called `table`.
  std::optional<std::string> sqlite;    // The same.
  std::optional<std::string> excel;     // A spreadsheet; `sheet` says which of its sheets.
  std::optional<std::string> delta;     // The folder of a Delta table, perhaps at `version`.
  std::optional<std::string> iceberg;   // The same of Iceberg; with `catalog` a name there.
  std::optional<std::string> catalog;   // A name of JobFile::connections, or a URL.
  std::optional<std::string> postgres;  // A name of JobFile::connections, or a URL.
  std::optional<std::string> mysql;     // The same.
  std::optional<std::string> table;     // Alone: in Spark's catalogue.
  std::optional<std::string> query;     // Instead of `table`: the server's own SQL.
  std::optional<std::string> sheet;
  std::optional<int64_t> version;
  std::optional<std::string> timestamp;   // Instead of `version`.
  std::optional<PasswordPlace> password;  // Of a URL.
  std::optional<Format> format;           // Of `file`, whatever its ending.
  Columns partitions;                     // Columns whose values are in folder names.
  CsvOptions options;
  // How many sources are given, of which a table has one at most. Files at an object store are one.
  int sources() const;
  // How many of file, csv, parquet, sources and, without a source, table are given; it must be one.
  int places() const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit(
        "file", file,
        {.help = "a file, a pattern such as \"2013-*.jsonl\", or a folder, of the format that its "
                 "name ends with"});
    visit("csv", csv, {.help = "a file, a pattern such as \"2013-*.csv\", or a folder"});
    visit("parquet", parquet,
          {.help = "the same for Parquet; all three also at an object store: "
                   "\"s3://lake/trips/*.parquet\""});
    visit("duckdb", duckdb, {.help = "a DuckDB database; table says which of its tables"});
    visit("sqlite", sqlite, {.help = "a SQLite database; table says which of its tables"});
    visit("excel", excel, {.help = "an .xlsx file; sheet says which of its sheets"});
    visit(
        "delta", delta,
        {.help = "the folder of a Delta table, here or at an object store: \"s3://lake/events\""});
    visit(
        "iceberg", iceberg,
        {.help = "the folder of an Iceberg table, or its newest file metadata/*.metadata.json; or, "
                 "with catalog, its name there: \"sales.prices\""});
    visit("catalog", catalog,
          {.help = "the REST catalogue of iceberg: a name of connections, or a URL"});
    visit("postgres", postgres,
          {.help = "a PostgreSQL server: a name of connections, or a URL without a password"});
    visit("mysql", mysql, {.help = "the same for MySQL and MariaDB"});
    visit("table", table, {.help = "a table of Spark's catalogue, or of the database"});
    visit("query", query, {.help = "instead of table: a SELECT in the server's own SQL"});
    visit("sheet", sheet, {.help = "the sheet of excel; unless set, the first"});
    visit("version", version,
          {.help = "the version of delta, or the snapshot of iceberg; unless set, the newest",
           .at_least = 0});
    visit("timestamp", timestamp,
          {.help = "instead of version: the newest at this time, \"2026-11-01 12:00:00\" in UTC"});
    visit("password", password, {.help = "where the password of a URL is: { env = \"NAME\" }"});
    visit("format", format, {.help = "the format of file, whatever its name ends with"});
    visit("partitions", partitions, {.help = "columns whose values are in the names of folders"});
    options.Fields(visit);
  }
};

// sales = "sales.csv" is short for sales = { file = "sales.csv" }.
struct JobTableOrPath : JobTable {};
Json ToJson(const JobTableOrPath& table);
Status FromJson(const Json& json, const std::string& path, JobTableOrPath& table);
FieldType DescribeType(const JobTableOrPath& table);

struct JobEtl {
  std::string sql;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("sql", sql, {.help = "a SELECT over the tables, in Spark's dialect"});
  }
};

struct JobSplit {
  Columns by;
  double test = 0.2;
  int64_t seed = 0;
  std::string column;
  std::string by_time;
  std::string from;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("by", by,
          {.help = "rows with equal values in these stay on one side; unless set, all columns"});
    visit("test", test,
          {.help = "expected share of the rows held out from training", .above = 0, .below = 1});
    visit("seed", seed, {.help = "changes which rows are held out"});
    visit("column", column,
          {.help = "instead of the others: a boolean column that is true in rows held out"});
    visit("by_time", by_time,
          {.help = "instead of by: a column of dates or times, whose latest rows are held out"});
    visit("from", from,
          {.help = "by_time: the time from which rows are held out, such as \"2025-06-01\"; "
                   "unless set, `test` decides"});
  }
  SplitOptions Options() const {
    return {
        .by = by, .test = test, .seed = seed, .column = column, .by_time = by_time, .from = from};
  }
};

// Exactly one of `file` and `parquet`, relative to the run folder, or a table of a database.
struct JobOutput {
  std::optional<std::string> file;
  std::optional<std::string> parquet;
  Columns columns;                      // Empty: all.
  Columns partitions;                   // Columns whose values become folder names.
  std::optional<std::string> sqlite;    // A database file below JobFile::data.
  std::optional<std::string> duckdb;    // The same.
  std::optional<std::string> postgres;  // A name of JobFile::connections, or a URL.
  std::optional<std::string> mysql;     // The same.
  std::optional<std::string> delta;     // The folder of a Delta table below JobFile::data.
  std::optional<std::string> iceberg;   // The name of a table of `catalog`.
  std::optional<std::string> catalog;   // A name of JobFile::connections, or a URL.
  std::optional<std::string> table;
  std::optional<StoreMode> mode;
  Columns upsert;  // The columns that tell rows apart; with them, `mode` is "upsert".
  std::optional<PasswordPlace> password;  // Of a URL.
  // Of a file.
  const std::string& path() const { return file ? *file : *parquet; }
  // How many databases and lakes are given.
  int databases() const {
    return sqlite.has_value() + duckdb.has_value() + postgres.has_value() + mysql.has_value() +
           delta.has_value() + iceberg.has_value();
  }
  // How rows are written into a database.
  StoreMode store_mode() const {
    return mode.value_or(upsert.empty() ? StoreMode::kReplace : StoreMode::kUpsert);
  }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file,
          {.help = "a file in the format that its name ends with, relative to the run folder"});
    visit("parquet", parquet, {.help = "a Parquet file, relative to the run folder"});
    visit("columns", columns, {.help = "the columns to write; unless set, all"});
    visit("partitions", partitions,
          {.help = "columns whose values become names of folders; the output is then a folder"});
    visit("sqlite", sqlite, {.help = "instead of a file, a SQLite database"});
    visit("duckdb", duckdb, {.help = "the same of DuckDB"});
    visit("postgres", postgres,
          {.help = "the same of PostgreSQL: a name of connections, or a URL without a password"});
    visit("mysql", mysql, {.help = "the same for MySQL and MariaDB"});
    visit("delta", delta, {.help = "the same for the folder of a Delta table, here or at s3://"});
    visit("iceberg", iceberg,
          {.help = "the same for an Iceberg table: its name in catalog, \"sales.scores\""});
    visit("catalog", catalog,
          {.help = "the REST catalogue of that table: a name of connections, or a URL"});
    visit("table", table, {.help = "the table of the database"});
    visit("mode", mode,
          {.help = "whether rows replace those of the table, are appended to them, or replace "
                   "those with the same key; unless set, \"replace\""});
    visit("upsert", upsert, {.help = "the columns of that key: mode is then \"upsert\""});
    visit("password", password, {.help = "where the password of a URL is: { env = \"NAME\" }"});
  }
};

// scored = "scored.csv" is short for scored = { file = "scored.csv" }.
struct JobOutputOrPath : JobOutput {};
Json ToJson(const JobOutputOrPath& output);
Status FromJson(const Json& json, const std::string& path, JobOutputOrPath& output);
FieldType DescribeType(const JobOutputOrPath& output);

// Where the job runs, and within which limits.
struct JobEngine {
  std::string address = "local";
  std::string memory;       // For tables, such as "4 GiB"; empty: half of the machine's.
  std::string rows_memory;  // For training rows and rows of ids; empty: a quarter of all memory.
  std::string spill;        // The folder for spilled data; empty: the run folder.
  std::string discovery;    // A script that prints the machine's devices; empty: ask the driver.
  std::vector<EngineSettings> own = DefaultEngineSettings();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("address", address, {.help = "\"local\", \"local[4]\" or \"sc://host:15002\""});
    visit("memory", memory,
          {.help = "limit for the tables, such as \"4 GiB\"; unless set, half of the machine's"});
    visit(
        "rows_memory", rows_memory,
        {.help = "memory for packed training rows and servers' rows of ids, what is beyond it goes "
                 "to disk; unless set, a quarter of the machine's"});
    visit("spill", spill,
          {.help = "folder for tables and rows that outgrow memory; unless set, the run folder"});
    visit("discovery", discovery,
          {.help = "script that prints the machine's devices; unless set, the driver is asked"});
    for (EngineSettings& each : own) {
      visit(each.kind->name, each, {.help = each.kind->settings_help});
    }
  }
};

// What the job is warned of: what makes a model look better than it is (job/leak_check.h).
struct JobLeaks {
  bool look = true;
  Columns known;
  bool duplicates = true;
  bool results = true;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("look", look,
          {.help = "warns of columns that give the label away, of rows and groups in both parts of "
                   "the split, and of results that look odd"});
    visit("known", known, {.help = "columns that it does not warn of, such as [\"boat\"]"});
    visit("duplicates", duplicates,
          {.help = "warns of test rows with the inputs and the label of a training row"});
    visit("results", results,
          {.help = "warns of test rows that are predicted far better or worse than validation "
                   "rows"});
  }
};

// What a run stores for people besides its results.
struct JobRun {
  std::optional<bool> profile;
  std::string compared;
  template <class Visit>
  void Fields(Visit& visit) {
    visit(
        "profile", profile,
        {.help =
             "keeps what the columns held and how the test rows differ, for the page; unless set, "
             "of tables of up to 1,000,000 rows"});
    visit("compared", compared,
          {.help = "how other models did, in words, which `protium runs show` repeats; "
                   "`protium init` writes it"});
  }
};

// engine = "local[4]" is short for engine = { address = "local[4]" }.
struct JobEngineOrAddress : JobEngine {};
Json ToJson(const JobEngineOrAddress& engine);
Status FromJson(const Json& json, const std::string& path, JobEngineOrAddress& engine);
FieldType DescribeType(const JobEngineOrAddress& engine);

// The options of the only estimator that a job file may also give at its top level.
inline constexpr const char* kShorthand[] = {"train", "gang", "net", "trees", "loss"};

// The whole file. `train`, `gang`, `net`, `trees` and `loss` are shorthand for the only estimator's
// options.
struct JobFile {
  std::string name;
  std::string data = ".";
  JobEngineOrAddress engine;
  JobRun run;
  JobLeaks leaks;
  std::vector<std::string> extensions;
  ByName<JobTableOrPath> tables;
  ByName<Connection> connections;
  JobEtl etl;
  std::optional<JobSplit> split;
  Json pipeline = Json::array();
  Json train = Json::object();
  Json gang = Json::object();
  Json net = Json::object();
  Json trees = Json::object();
  Json loss = Json::object();
  std::optional<SearchOptions> search;
  std::optional<FoldOptions> folds;
  ByName<JobOutputOrPath> outputs;
  std::optional<StreamOptions> stream;  // A job of its own kind: see `protium stream`.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name, {.help = "name of the run; unless set, that of the file"});
    visit("data", data, {.help = "folder of the tables, relative to the job file"});
    visit("engine", engine, {.help = "where the job runs: an address, or a table"});
    visit("run", run, {.help = "what the run records beside its results"});
    visit("leaks", leaks, {.help = "warnings of target leaks"});
    visit("extensions", extensions,
          {.help = "shared libraries with your own nets, relative to the job file"});
    visit("tables", tables, {.help = "tables by name"});
    visit("connections", connections, {.help = "database servers by name"});
    visit("etl", etl, {.help = "the table to learn from"});
    visit("split", split, {.help = "rows held out from training, to test the model"});
    visit("pipeline", pipeline, {.help = "stages, in order"});
    visit("train", train, {.help = "shorthand for the only estimator's train"});
    visit("gang", gang, {.help = "shorthand for the only estimator's gang"});
    visit("net", net, {.help = "shorthand for the only estimator's net"});
    visit("trees", trees, {.help = "shorthand for the only estimator's trees"});
    visit("loss", loss, {.help = "shorthand for the only estimator's loss"});
    visit("search", search, {.help = "fits with several sets of options and keeps the best"});
    visit("folds", folds, {.help = "measures by cross-validation on the training rows"});
    visit("outputs", outputs, {.help = "tables to write, by name"});
    visit("stream", stream, {.help = "events to score as they arrive, instead of a run"});
  }
};

// A job that is ready to run: checked as far as possible without reading a table.
struct Job {
  // Paths in `data`, `engine` and `extensions` are absolute; shorthand has moved into the pipeline.
  JobFile file;
  std::shared_ptr<const Catalogue> catalogue;  // What the extensions add; null without any.
  Settings settings;                           // As given, with every value's place.
  int64_t memory_bytes = 0;
  int64_t rows_memory_bytes = 0;
  std::optional<size_t> estimator;   // Its position in the pipeline.
  std::optional<Pipeline> pipeline;  // None for a job that is only SQL.
  std::optional<Search> search;      // Made from the pipeline by [search] and [folds].
  Unloaded unloaded;                 // Set by a check that leaves extensions alone.

  // Returns the job for job.json in the run folder, including defaults and absolute paths, so that
  // a resumed run depends on no other file. ReadSavedJob() (job/read_job.h) reads it.
  Json ToJson() const;
};

}  // namespace protium
