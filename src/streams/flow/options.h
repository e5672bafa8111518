// SPDX-License-Identifier: Apache-2.0
// [stream] in a job file: where events come from, what scores them and where the rows go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "column/source.h"
#include "protium/expr.h"
#include "protium/fields.h"
#include "protium/sources.h"

namespace protium {

// What becomes of files whose rows have been written.
enum class ReadFiles { kKeep, kDelete };
inline EnumNames<ReadFiles> Names(ReadFiles) {
  return {{{ReadFiles::kKeep, "keep"}, {ReadFiles::kDelete, "delete"}}};
}

// What happens to columns that events have and [stream] does not know.
enum class NewColumns { kIgnore, kDead, kStop };
inline EnumNames<NewColumns> Names(NewColumns) {
  return {
      {{NewColumns::kIgnore, "ignore"}, {NewColumns::kDead, "dead"}, {NewColumns::kStop, "stop"}}};
}

enum class Delivery { kOnce, kAtLeastOnce };
inline EnumNames<Delivery> Names(Delivery) {
  return {{{Delivery::kOnce, "once"}, {Delivery::kAtLeastOnce, "at_least_once"}}};
}

// Exactly one of `folder` and `kafka`.
struct StreamSourceOptions {
  std::optional<std::string> folder;  // Below JobFile::data.
  std::string pattern = "*";
  std::optional<std::string> kafka;  // "host:9092", perhaps several.
  std::string topic;
  std::optional<std::string> format;      // Of files: unless set, what their names end with.
  std::string schema;                     // Of Avro: a file below JobFile::data,
  std::string registry;                   // a server of schemas,
  std::optional<PasswordPlace> password;  // and that of the user in its URL.
  std::string start = "earliest";
  ReadFiles after = ReadFiles::kKeep;
  bool divided = false;            // Each partition is a stream of its own.
  Json settings = Json::object();  // librdkafka's own.
  CsvOptions csv;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("folder", folder, {.help = "a folder into which files are moved or written"});
    visit("pattern", pattern, {.help = "for folder: which of its files, \"visits-*.csv\""});
    visit("kafka", kafka, {.help = "servers of Kafka: \"host:9092\""});
    visit("topic", topic, {.help = "for kafka: the topic"});
    visit("format", format,
          {.help = "csv, jsonl, parquet or arrow for files, unless their names say it; json, csv, "
                   "text or avro for messages"});
    visit("schema", schema,
          {.help = "for avro: the file with the schema, \"event.avsc\"; beside a registry it has "
                   "the defaults of fields"});
    visit("registry", registry,
          {.help = "for avro: the registry whose schemas messages are written with, "
                   "\"https://user@host:8081\""});
    visit("password", password,
          {.help = "where the password of the registry's user is: { env = \"NAME\" }"});
    visit("start", start,
          {.help = "for kafka, the first time: \"earliest\", \"latest\", or a time such as "
                   "\"2026-11-01 12:00:00\" in UTC"});
    visit("after", after,
          {.help = "for folder: whether files are kept or deleted once their rows are written"});
    visit("divided", divided,
          {.help = "for kafka: each partition is a stream of its own, so that several processes "
                   "share the topic"});
    visit("settings", settings, {.help = "for kafka: settings of librdkafka by their names"});
    csv.Fields(visit);
  }
};

// Exactly one of `folder`, `kafka` and the tables.
struct StreamSinkOptions {
  std::optional<std::string> folder;  // Below JobFile::data.
  std::optional<std::string> kafka;
  std::optional<std::string> sqlite;    // A database file below JobFile::data.
  std::optional<std::string> duckdb;    // The same.
  std::optional<std::string> postgres;  // A name of JobFile::connections, or a URL.
  std::optional<std::string> mysql;     // The same.
  std::optional<std::string> delta;     // The folder of a Delta table below JobFile::data.
  std::optional<std::string> table;
  std::optional<PasswordPlace> password;  // Of a URL.
  std::string topic;
  std::string format;  // Empty: parquet for files, json for messages.
  std::string key;
  Columns columns;  // Empty: all.
  Delivery delivery = Delivery::kOnce;
  Json settings = Json::object();
  // How many tables are given.
  int tables() const {
    return sqlite.has_value() + duckdb.has_value() + postgres.has_value() + mysql.has_value() +
           delta.has_value();
  }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("folder", folder, {.help = "a folder that gets one file for each batch"});
    visit("kafka", kafka, {.help = "servers of Kafka: \"host:9092\""});
    visit("sqlite", sqlite, {.help = "a SQLite database, to whose table rows are appended"});
    visit("duckdb", duckdb, {.help = "the same of DuckDB"});
    visit("postgres", postgres,
          {.help = "the same of PostgreSQL: a name of connections, or a URL without a password"});
    visit("mysql", mysql, {.help = "the same for MySQL and MariaDB"});
    visit("delta", delta, {.help = "the same for the folder of a Delta table, here or at s3://"});
    visit("table", table, {.help = "the table of the database"});
    visit("password", password, {.help = "where the password of a URL is: { env = \"NAME\" }"});
    visit("topic", topic, {.help = "for kafka: the topic"});
    visit("format", format,
          {.help = "parquet (the default), csv, jsonl or arrow for files; json (the default), csv "
                   "or text for messages"});
    visit("key", key, {.help = "for kafka: the column whose values are the keys of messages"});
    visit("columns", columns, {.help = "the columns to write; unless set, all"});
    visit("delivery", delivery,
          {.help = "for kafka: once, in transactions, or at_least_once, which is faster and "
                   "repeats the last batch after a crash"});
    visit("settings", settings, {.help = "for kafka: settings of librdkafka by their names"});
  }
};

struct BatchOptions {
  int64_t rows = 50'000;
  int64_t ms = 20;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows, {.help = "rows that a batch has at most", .at_least = 1, .at_most = 1e7});
    visit("ms", ms,
          {.help = "how long the first row of a batch waits for others",
           .unit = "milliseconds",
           .at_least = 0,
           .at_most = 3600e3});
  }
};

// Events are handed to the SQL in whole windows of their own time.
struct EventWindowOptions {
  std::string time;                // The column with it.
  std::string every;               // "5 minutes".
  std::string length;              // "15 minutes"; empty: as long as `every`.
  std::string late = "0 seconds";  // How much older than the newest event an event may be.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("time", time, {.help = "the column with the time of an event", .filled = "a column"});
    visit("every", every, {.help = "how often a window begins: \"5 minutes\"", .filled = "a time"});
    visit(
        "length", length,
        {.help = "how long a window is, if it is longer than `every`, so that windows overlap and "
                 "each event is in several"});
    visit(
        "late", late,
        {.help = "how much older than the newest event an event may come; a window is closed once "
                 "the newest event is so much behind its end"});
  }
};

// Events are handed to the SQL together with those of another stream that belong to them by time.
struct EventJoinOptions {
  StreamSourceOptions source;
  std::string table = "other";  // What they are called in the SQL.
  ColumnTypes columns;
  std::string time;                  // The column of the events with their time.
  std::string other_time;            // That of the others.
  std::string before = "0 seconds";  // How much earlier than an event one of the others may be.
  std::string after;                 // How much later.
  std::string late = "0 seconds";
  int64_t waiting = 1'000'000;  // Rows of either stream.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("source", source, {.help = "where the events of the other stream come from"});
    visit("table", table, {.help = "the name of these events in the SQL"});
    visit("columns", columns,
          {.help = "their columns and types; unless set, those of the first file"});
    visit("time", time, {.help = "the column with the time of an event", .filled = "a column"});
    visit(
        "other_time", other_time,
        {.help = "the column with the time of an event of the other stream", .filled = "a column"});
    visit("before", before,
          {.help = "how much earlier than an event one of the other stream may be"});
    visit("after", after, {.help = "how much later it may be: \"10 minutes\"", .filled = "a time"});
    visit("late", late,
          {.help = "how much older than the newest event of its stream an event may come"});
    visit("waiting", waiting,
          {.help = "rows of either stream that wait for the other at most; a stream of which so "
                   "many wait is not read until the other has caught up",
           .at_least = 1,
           .at_most = 1e9});
  }
};

// Models that are trained on the events of the stream. Exactly one of `rows` and `minutes`.
struct StreamTrainOptions {
  std::string job;  // Relative to the job file.
  int64_t rows = 0;
  double minutes = 0;
  int64_t newest = 100'000;
  double held_out = 0.2;
  std::string metric;
  bool anew = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("job", job,
          {.help = "the job file that says how: its SQL over the events as its only table, its "
                   "pipeline and [train]",
           .filled = "a job file"});
    visit("rows", rows, {.help = "trains after so many more rows", .at_least = 0});
    visit("minutes", minutes, {.help = "instead of rows: trains after so long", .at_least = 0});
    visit("newest", newest,
          {.help = "the newest events that a training sees, with those held out", .at_least = 2});
    visit("held_out", held_out,
          {.help = "the share of these, the newest ones, on which the new model and the live one "
                   "are judged",
           .above = 0,
           .below = 1});
    visit("metric", metric,
          {.help = "what they are judged by; unless set, the first metric of the job"});
    visit("anew", anew,
          {.help = "begins with new weights, instead of those of the live model (train.from)"});
  }
};

struct StreamOptions {
  StreamSourceOptions source;
  StreamSinkOptions sink;
  std::string table;
  std::string model;
  std::string shadow;
  ColumnTypes columns;
  NewColumns new_columns = NewColumns::kIgnore;
  BatchOptions batch;
  std::optional<EventWindowOptions> window;
  std::optional<EventJoinOptions> join;
  int64_t rate = 0;
  std::string version_column;
  std::optional<StreamTrainOptions> train;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("source", source, {.help = "where events come from: a folder, or a topic of Kafka"});
    visit("sink", sink,
          {.help = "where scored rows go to: a folder, a topic of Kafka, or a table"});
    visit("table", table,
          {.help = "the name of a batch of events in the SQL; unless set, \"events\", or with the "
                   "model's "
                   "own SQL its only table"});
    visit("model", model,
          {.help = "what scores the rows: a tag (\"tag:live\"), a run, or a model's folder, each "
                   "looked up anew for every batch; unless set, rows are not scored"});
    visit("shadow", shadow, {.help = "a second model, whose predictions are only compared"});
    visit("columns", columns,
          {.help = "the columns of events and their types: { id = \"int64\" }; others have the "
                   "types that the model knows, or those of the first file"});
    visit("new_columns", new_columns,
          {.help = "what happens to events with other columns: the columns are ignored, the events "
                   "become dead letters, or the stream stops"});
    visit("batch", batch, {.help = "how many events are scored together"});
    visit("window", window,
          {.help = "the SQL reads the events of whole windows of time, each window once"});
    visit("join", join,
          {.help = "the SQL reads events together with those of another stream that belong to "
                   "them by time"});
    visit("rate", rate,
          {.help = "rows that are read in a second at most; 0: no limit", .at_least = 0});
    visit("version_column", version_column,
          {.help = "the name of a column that says which model scored a row"});
    visit("train", train,
          {.help = "trains on what came, and gives the model's tag to a model that is not worse"});
  }
};

}  // namespace protium
