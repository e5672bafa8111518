// SPDX-License-Identifier: Apache-2.0
#include "stream/engine_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "engine/kind.h"
#include "format/csv_options.h"
#include "format/file_form.h"
#include "run/terminal.h"
#include "stream/engine_ends.h"

namespace protium {
namespace {

struct Lack {
  const char* where;
  bool wanted;
  const char* what;  // "a stream on Spark has no ..."
};

Status RefuseOnSpark(const std::string& where, const std::string& what, const std::string& fix) {
  return Fail({.exit = Exit::kUsage,
               .what = what,
               .where = where,
               .fix = fix,
               .kept = "nothing was started"});
}

std::optional<FileForm> FormOf(const StreamSourceOptions& source) {
  return FormOfName(source.pattern);
}

bool IsArrow(const StreamSourceOptions& source) {
  const auto form = FormOf(source);
  return source.format ? *source.format == "arrow" : form && form->format == Format::kArrow;
}

// Types are the driver's business, which says them to Spark.
bool IsCsvForSpark(const StreamSourceOptions& source) {
  CsvOptions csv = source.csv;
  csv.types = {};
  return IsPlainCsv(csv) && csv.delimiter != "auto" && !MayHaveTabs(source.pattern, csv);
}

std::vector<Lack> LacksOfFolder(const StreamSourceOptions& source) {
  const auto form = FormOf(source);
  return {
      {"stream.source", IsArrow(source), "files of Arrow"},
      {"stream.source", form && form->packing == Packing::kZstd, "files compressed by zstd"},
      {"stream.source.after", source.after != ReadFiles::kKeep, "way to delete what it has read"},
      {"stream.source", !IsCsvForSpark(source), "CSV of this form"},
      {"stream.source.header", !source.csv.header, "CSV without a header"},
  };
}

std::vector<Lack> LacksOfTopic(const StreamSourceOptions& source) {
  const std::string format = source.format.value_or("json");
  return {
      {"stream.source.format", format == "csv", "messages of CSV"},
      {"stream.source.format", format == "avro", "messages in Avro"},
      {"stream.source.divided", source.divided, "streams of single partitions"},
      {"stream.source.settings", !source.settings.empty(), "settings of librdkafka"},
  };
}

std::vector<Lack> LacksOfSink(const StreamSinkOptions& sink) {
  return {
      {"stream.sink", sink.tables() > 0 && !sink.delta, "tables of databases to write to"},
      {"stream.sink.format", sink.format == "arrow", "files of Arrow"},
      {"stream.sink.format", sink.kafka && sink.format == "csv", "messages of CSV"},
      {"stream.sink.settings", !sink.settings.empty(), "settings of librdkafka"},
  };
}

std::vector<Lack> LacksOf(const JobFile& job) {
  const StreamOptions& stream = *job.stream;
  std::vector<Lack> lacks =
      stream.source.kafka ? LacksOfTopic(stream.source) : LacksOfFolder(stream.source);
  const std::vector<Lack> others = {
      {"stream.shadow", !stream.shadow.empty(), "shadow model"},
      {"stream.window", stream.window.has_value(), "windows of event time"},
      {"stream.join", stream.join.has_value(), "join with another stream"},
      {"stream.train", stream.train.has_value(), "trainings"},
      {"stream.rate", stream.rate > 0, "rate"},
      {"stream.new_columns", stream.new_columns != NewColumns::kIgnore, "dead letters"},
      {"stream.batch.rows", !stream.source.kafka && stream.batch.rows != BatchOptions().rows,
       "batches of files by rows"},
  };
  for (const auto& more : {LacksOfSink(stream.sink), others}) {
    lacks.insert(lacks.end(), more.begin(), more.end());
  }
  return lacks;
}

// Spark reads what has the name, drafts among them, by a pattern that has braces, too.
Status CheckPattern(const std::string& pattern) {
  const bool any_ending = pattern.ends_with('*') || pattern.ends_with('?');
  if (!any_ending && pattern.find_first_of("{}\\") == pattern.npos) return Status::OK();
  return RefuseOnSpark("stream.source.pattern",
                       any_ending ? "on Spark the pattern must say how files end"
                                  : "on Spark a pattern has no braces and no backslashes",
                       "pattern = \"*.csv\"; Spark would also read drafts, such as a.csv.part");
}

std::string PromiseOfSink(const StreamSinkOptions& sink) {
  if (sink.kafka) {
    return fmt::format("at least once in the topic {}: after a crash the last batch is there twice",
                       sink.topic);
  }
  if (sink.delta) return fmt::format("exactly once in {}, by the table's own log", *sink.delta);
  return fmt::format(
      "exactly once in the files that {}/_spark_metadata lists, as Spark reads the folder; after a "
      "crash it may hold others",
      *sink.folder);
}

std::vector<std::string> PromisesOfFolder() {
  return {"an event that does not fit its columns ends the stream: there are no dead letters",
          "a file is read once, by its name, and as soon as it has it: move whole files in",
          "batches are whole files, 1,000 at most"};
}

std::vector<std::string> PromisesOfTopic(const StreamOptions& stream) {
  return {"a message that does not fit its columns ends the stream: there are no dead letters",
          "what was read stands in Spark's checkpoint, not in a consumer group",
          fmt::format("batches are {} messages at most", Grouped(EngineBatchRows(stream.batch)))};
}

}  // namespace

bool EngineRunsStream(const JobFile& job) { return !KindOf(job.engine.address).runs_here; }

Status CheckEngineStream(const JobFile& job) {
  for (const Lack& lack : LacksOf(job)) {
    if (!lack.wanted) continue;
    return RefuseOnSpark(lack.where, fmt::format("a stream on Spark has no {}", lack.what),
                         "leave it out, or engine = \"local\"");
  }
  for (const auto& [name, table] : job.tables.all) {
    if (table.sources() == 0 && !table.table) continue;
    return RefuseOnSpark("tables." + name, "a stream on Spark joins only tables in files",
                         "write it to a file, or engine = \"local\"");
  }
  const StreamSinkOptions& sink = job.stream->sink;
  if (sink.kafka && sink.delivery == Delivery::kOnce) {
    return RefuseOnSpark("stream.sink.delivery",
                         "on Spark a message may be written twice: after a crash the last batch is",
                         "delivery = \"at_least_once\", or engine = \"local\"");
  }
  return job.stream->source.kafka ? Status::OK() : CheckPattern(job.stream->source.pattern);
}

std::vector<std::string> EnginePromises(const JobFile& job) {
  const StreamOptions& stream = *job.stream;
  std::vector<std::string> promises = {PromiseOfSink(stream.sink)};
  const auto source = stream.source.kafka ? PromisesOfTopic(stream) : PromisesOfFolder();
  promises.insert(promises.end(), source.begin(), source.end());
  if (!stream.model.empty()) {
    promises.push_back("the model stays until the stream is started again, wherever its tag moves");
  }
  if (!job.tables.all.empty()) promises.push_back("other tables, too: change them while it rests");
  return promises;
}

}  // namespace protium
