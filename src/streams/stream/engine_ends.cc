// SPDX-License-Identifier: Apache-2.0
#include "stream/engine_ends.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/fault.h"
#include "flow/start_time.h"
#include "format/file_writer.h"
#include "job/model_tables.h"
#include "kafka/open.h"
#include "sources/source.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Result<int64_t> SinceMs(const std::string& start) {
  if (start == kEarliest) return std::numeric_limits<int64_t>::min();
  if (start == kLatest) return std::numeric_limits<int64_t>::max();
  const auto time = StartTimeMs(start);
  if (time) return *time;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("on Spark \"{}\" is not a position to start at", start),
               .where = "stream.source.start",
               .fix = "\"earliest\", \"latest\", or a time in UTC such as \"2026-11-01 12:00:00\"",
               .kept = "nothing was started"});
}

Status RefuseType(const std::string& what, const arrow::Field& field, const std::string& where,
                  const std::string& fix) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("on Spark {}, and \"{}\" is {}", what, field.name(),
                                   field.type()->ToString()),
               .where = where,
               .fix = fix,
               .kept = "nothing was started"});
}

// Texts of fractions differ between engines, and a key says which partition a message goes to.
Status CheckKeyType(const arrow::Field& field) {
  const auto type = field.type()->id();
  if (type == arrow::Type::STRING || arrow::is_integer(type)) return Status::OK();
  return RefuseType("the key of a message is a text or a whole number", field, "stream.sink.key",
                    "make a text of it in the SQL");
}

Status CheckTextType(const arrow::Field& field) {
  if (field.type()->id() == arrow::Type::STRING) return Status::OK();
  return RefuseType("messages of text are of a column of texts", field, "stream.sink.format",
                    "make a text of it in the SQL, or format = \"json\"");
}

Result<QuerySink> MessagesFor(const StreamSinkOptions& sink, const arrow::Schema& columns) {
  PT_TRY(CheckHolds(columns, Format::kJsonLines));
  QueryMessages messages{.topic = {.servers = *sink.kafka, .name = sink.topic}, .key = sink.key};
  PT_LET(const int key, KeyColumn(columns, sink.key));
  if (key >= 0) PT_TRY(CheckKeyType(*columns.field(key)));
  if (sink.format == "text") {
    PT_LET(const int text, TextColumn(columns, key));
    PT_TRY(CheckTextType(*columns.field(text)));
    messages.text = columns.field(text)->name();
  }
  return messages;
}

}  // namespace

int64_t EngineBatchRows(const BatchOptions& batch) {
  constexpr int64_t kRows = 1'000'000;
  return batch.rows == BatchOptions().rows ? kRows : batch.rows;
}

Result<QueryEvents> EventsForEngine(const StreamOptions& options, const SourceForm& form,
                                    const Node* scan) {
  const StreamSourceOptions& source = options.source;
  QueryEvents events{.scan = scan, .pattern = source.pattern};
  if (!source.kafka) return events;
  events.topic = {.servers = *source.kafka, .name = source.topic};
  events.text = form.text;
  PT_LET(events.since_ms, SinceMs(source.start));
  events.most_rows = EngineBatchRows(options.batch);
  return events;
}

Result<QuerySink> SinkForEngine(const JobFile& job, const arrow::Schema& columns) {
  const StreamSinkOptions& sink = job.stream->sink;
  if (sink.kafka) return MessagesFor(sink, columns);
  if (sink.delta) {
    PT_LET(Source lake, TargetOf(OutputOf(sink), job.data, job.connections));
    if (IsHere(lake)) lake.file = fs::absolute(lake.file).lexically_normal();
    return lake;
  }
  PT_LET(const Format format, SinkFormat(job));
  PT_TRY(CheckHolds(columns, format));
  return QueryFiles{.format = format, .folder = SinkFolder(job)};
}

}  // namespace protium
