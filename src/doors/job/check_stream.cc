// SPDX-License-Identifier: Apache-2.0
#include "job/check_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/units.h"
#include "column/schema.h"
#include "format/csv_options.h"
#include "job/model_tables.h"
#include "sources/web_url.h"

namespace protium {
namespace {

Status StreamFault(std::string where, std::string what, std::string fix = {}) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix),
               .kept = "nothing was started"});
}

Status CheckNothingOfRuns(const JobFile& file) {
  const std::array<std::pair<const char*, bool>, 5> others = {
      {{"pipeline", !file.pipeline.empty()},
       {"split", file.split.has_value()},
       {"search", file.search.has_value()},
       {"folds", file.folds.has_value()},
       {"outputs", !file.outputs.all.empty()}}};
  for (const auto& [key, given] : others) {
    if (!given) continue;
    return StreamFault(key, fmt::format("a job with [stream] has no [{}]", key),
                       "train in a separate job, and name its model in stream.model");
  }
  return Status::OK();
}

Status CheckFormat(const char* where, const std::string& format, bool folder) {
  using Names = std::vector<std::string>;
  const Names formats =
      folder ? Names{"csv", "jsonl", "parquet", "arrow"} : Names{"json", "csv", "text", "avro"};
  if (format.empty() || std::ranges::count(formats, format) > 0) return Status::OK();
  return StreamFault(
      where, fmt::format("\"{}\" is not a format of {}", format, folder ? "files" : "messages"),
      Suggest(format, formats));
}

// How messages in Avro say their schema, and nobody else.
Status CheckAvro(const std::string& where, const StreamSourceOptions& source) {
  const bool any = !source.schema.empty() || !source.registry.empty();
  const bool avro = source.format == "avro";
  if (avro && !any) {
    return StreamFault(where, "messages in Avro need their schema",
                       "schema = \"event.avsc\", or registry = \"http://host:8081\"");
  }
  if (any && !(avro && source.kafka)) {
    return StreamFault(where + (source.schema.empty() ? ".registry" : ".schema"),
                       "only messages in Avro have a schema", "add format = \"avro\"");
  }
  if (source.registry.empty()) {
    if (!source.password) return Status::OK();
    return StreamFault(where + ".password", "only a schema registry has a password",
                       "settings of Kafka hold those of its servers");
  }
  const Status url = ReadWebUrl(source.registry).status();
  if (url.ok()) return url;
  return StreamFault(where + ".registry", FaultOf(url).what, FaultOf(url).fix);
}

template <class Options>
Status CheckPlace(const std::string& where, const Options& options) {
  if (options.folder.has_value() == options.kafka.has_value()) {
    return StreamFault(where, fmt::format("{} needs either folder or kafka", where),
                       "{ folder = \"in\" }, or { kafka = \"host:9092\", topic = \"visits\" }");
  }
  if (options.kafka && options.topic.empty()) {
    return StreamFault(where, fmt::format("{} needs a topic", where), "add topic = \"visits\"");
  }
  if (options.folder && !options.topic.empty()) {
    return StreamFault(where + ".topic", "a folder has no topics", "leave topic out");
  }
  return Status::OK();
}

// A sink that is a table of a database or a lake.
Status CheckTable(const JobFile& file) {
  const StreamSinkOptions& sink = file.stream->sink;
  if (sink.tables() + sink.folder.has_value() + sink.kafka.has_value() > 1) {
    return StreamFault("stream.sink", "stream.sink names more than one place",
                       "leave all but one out");
  }
  if (!sink.format.empty() || !sink.topic.empty() || !sink.key.empty()) {
    return StreamFault("stream.sink", "a table has no format, topic or key",
                       "leave format, topic and key out");
  }
  const Status target = TargetOf(OutputOf(sink), file.data, file.connections).status();
  if (target.ok()) return target;
  Fault fault = FaultOf(target);
  fault.where = "stream.sink";
  fault.kept = "nothing was started";
  return Fail(std::move(fault));
}

Status CheckSink(const JobFile& file) {
  const StreamSinkOptions& sink = file.stream->sink;
  if (sink.tables() > 0) return CheckTable(file);
  if (sink.table) {
    return StreamFault("stream.sink.table", "stream.sink names a table, but no database",
                       "add sqlite = \"FILE\" or postgres = \"CONNECTION\"");
  }
  PT_TRY(CheckPlace("stream.sink", sink));
  if (sink.kafka && sink.format == "avro") {
    return StreamFault("stream.sink.format", "messages in Avro are read, and not written",
                       "json, csv or text");
  }
  return CheckFormat("stream.sink.format", sink.format, sink.folder.has_value());
}

Status CheckWindow(const EventWindowOptions& window) {
  for (const auto& [key, text] : {std::pair{"every", window.every}, {"late", window.late}}) {
    const auto micros = MicrosOf(text);
    if (micros && (*micros > 0 || key == std::string("late"))) continue;
    return StreamFault(std::string("stream.window.") + key,
                       fmt::format("\"{}\" is not a length of time", text),
                       "\"5 minutes\", \"1 hour\", \"30 seconds\"");
  }
  if (window.length.empty()) return Status::OK();
  constexpr int64_t kMostWindows = 1000;
  const auto length = MicrosOf(window.length), every = MicrosOf(window.every);
  if (length && *length >= *every && *length <= kMostWindows * *every) return Status::OK();
  return StreamFault(
      "stream.window.length",
      fmt::format("windows of \"{}\" that begin every \"{}\"", window.length, window.every),
      fmt::format("a length of {}, or up to {} times as long; without it windows "
                  "follow each other",
                  window.every, kMostWindows));
}

// Neither windows nor trainings know of events of other partitions.
Status CheckDivided(const StreamOptions& stream) {
  if (!stream.source.divided) return Status::OK();
  const char* const where = "stream.source.divided";
  if (!stream.source.kafka) {
    return StreamFault(where, "a folder has no partitions", "leave divided out");
  }
  if (!stream.window && !stream.train) return Status::OK();
  return StreamFault(where,
                     fmt::format("a stream that is divided by partitions has no {}",
                                 stream.window ? "windows" : "trainings"),
                     "leave divided out: one process reads all partitions");
}

Status CheckTimes(const EventJoinOptions& join) {
  for (const auto& [key, text] :
       {std::pair{"before", join.before}, {"after", join.after}, {"late", join.late}}) {
    const auto micros = MicrosOf(text);
    if (micros && *micros >= 0) continue;
    return StreamFault(std::string("stream.join.") + key,
                       fmt::format("\"{}\" is not a length of time", text),
                       "\"10 minutes\", \"1 hour\", \"0 seconds\"");
  }
  return Status::OK();
}

Status CheckJoin(const JobFile& file) {
  const StreamOptions& stream = *file.stream;
  const EventJoinOptions& join = *stream.join;
  PT_TRY(CheckPlace("stream.join.source", join.source));
  PT_TRY(CheckFormat("stream.join.source.format", join.source.format.value_or(""),
                     join.source.folder.has_value()));
  PT_TRY(CheckAvro("stream.join.source", join.source));
  PT_TRY(CheckTimes(join));
  if (join.source.folder && join.source.folder == stream.sink.folder) {
    return StreamFault("stream.sink.folder", "the stream would read its own output",
                       "give the sink a folder of its own");
  }
  if (stream.window || stream.train || stream.source.divided || join.source.divided) {
    return StreamFault("stream.join",
                       "a stream that joins another has no windows, no trainings, and is not "
                       "divided by partitions",
                       "write the joined rows to a topic, and let another stream read that");
  }
  if (file.etl.sql.empty()) {
    return StreamFault(
        "etl.sql", "a stream that joins another needs SQL that does it",
        fmt::format("sql = \"SELECT * FROM events e LEFT JOIN {} o ON ...\"", join.table));
  }
  const auto is_its = [&](const auto& table) { return table.first == join.table; };
  if (std::ranges::none_of(file.tables.all, is_its)) return Status::OK();
  return StreamFault("stream.join.table",
                     fmt::format("[tables] has a table \"{}\", too", join.table),
                     "give one of them another name");
}

Status CheckTrain(const StreamOptions& stream, const JobFile& file) {
  const StreamTrainOptions& train = *stream.train;
  if ((train.rows > 0) == (train.minutes > 0)) {
    return StreamFault("stream.train", "stream.train needs either rows or minutes",
                       "rows = 10000: after how many it trains");
  }
  if (!stream.model.starts_with("tag:")) {
    return StreamFault("stream.model", "a stream that trains needs a tag, which it moves",
                       "model = \"tag:live\"");
  }
  if (stream.window) {
    return StreamFault("stream.window", "a stream with windows does not train",
                       "train in a separate job, on the rows of the sink");
  }
  if (file.etl.sql.empty()) return Status::OK();
  return StreamFault("etl.sql",
                     "a stream that trains cannot have SQL: the model's own SQL reads the events",
                     "write it into the job that trains");
}

}  // namespace

Status CheckStream(const JobFile& file) {
  PT_TRY(CheckNothingOfRuns(file));
  const StreamOptions& stream = *file.stream;
  PT_TRY(CheckPlace("stream.source", stream.source));
  PT_TRY(CheckFormat("stream.source.format", stream.source.format.value_or(""),
                     stream.source.folder.has_value()));
  PT_TRY(CheckAvro("stream.source", stream.source));
  PT_TRY(CheckSink(file));
  PT_TRY(CheckCsvOptions(stream.source.csv));
  if (stream.source.folder && stream.source.folder == stream.sink.folder) {
    return StreamFault("stream.sink.folder", "the stream would read its own output",
                       "give the sink a folder of its own");
  }
  PT_TRY(CheckDivided(stream));
  if (stream.join) PT_TRY(CheckJoin(file));
  if (stream.window) PT_TRY(CheckWindow(*stream.window));
  if (stream.train) PT_TRY(CheckTrain(stream, file));
  for (const auto& [column, type] : stream.columns.all) {
    if (TypeNamed(type).ok()) continue;
    return StreamFault("stream.columns." + column, fmt::format("\"{}\" is not a type", type),
                       "int64, float64, bool, string, date or timestamp");
  }
  if (!stream.model.empty() || stream.shadow.empty()) return Status::OK();
  return StreamFault("stream.shadow", "a shadow is compared with stream.model, and there is none");
}

Status RefuseStream(const Job& job) {
  if (!job.file.stream) return Status::OK();
  return StreamFault("stream", "this job is a stream, not a run",
                     "protium stream " + job.settings.file.string());
}

}  // namespace protium
