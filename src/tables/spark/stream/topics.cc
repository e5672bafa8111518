// SPDX-License-Identifier: Apache-2.0
// Options are those of Spark's "Structured Streaming + Kafka Integration Guide"; what begins with
// "kafka." is a setting of Kafka's own client.
#include "spark/stream/topics.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/mentions.h"
#include "connect/streaming.h"
#include "connect/types.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

using connect::Relation;

constexpr const char* kFormat = "kafka";
// How long Kafka's client asks for a topic. Spark asks for the newest offsets three times.
constexpr const char* kPatienceMs = "20000";
// A column that a JSON reader adds; names of events' columns do not count beside it, since those
// are a level below.
constexpr const char* kBroken = "pt_broken";

void SetStart(const QueryEvents& events, connect::Options& options) {
  using Limits = std::numeric_limits<int64_t>;
  if (events.since_ms == Limits::min()) {
    options["startingOffsets"] = "earliest";
  } else if (events.since_ms == Limits::max()) {
    options["startingOffsets"] = "latest";
  } else {
    options["startingTimestamp"] = std::to_string(events.since_ms);
    // A partition without such a message begins with the next one.
    options["startingOffsetsByTimestampStrategy"] = "latest";
  }
}

connect::Options ConnectionOptions(const QueryTopic& topic) {
  return {{"kafka.bootstrap.servers", topic.servers},
          {"kafka.default.api.timeout.ms", kPatienceMs},
          {"kafka.request.timeout.ms", kPatienceMs}};
}

connect::Options ReadOptions(const QueryEvents& events) {
  connect::Options options = ConnectionOptions(*events.topic);
  options["subscribe"] = events.topic->name;
  // What was aborted was not sent.
  options["kafka.isolation.level"] = "read_committed";
  options["maxOffsetsPerTrigger"] = std::to_string(events.most_rows);
  options["fetchOffset.numRetries"] = "1";
  SetStart(events, options);
  return options;
}

// The event, or else an error with the message's place and its first bytes.
std::string EventOrError(const std::string& fits, const std::string& event) {
  return fmt::format(
      "CASE WHEN value IS NOT NULL AND is_valid_utf8(CAST(value AS STRING)) AND {} THEN {} "
      "ELSE raise_error(concat('a message does not fit the columns of the stream: partition ', "
      "partition, ', offset ', offset, ': ', coalesce(left(make_valid_utf8(CAST(value AS STRING)), "
      "200), 'null'))) END AS {}",
      fits, event, event);
}

// [event], a struct of `columns`, for each message.
Result<Relation> ParseJson(Relation messages, const arrow::Schema& columns) {
  PT_LET(const std::string ddl, connect::SparkDdl(columns));
  const std::string with_broken = SqlText(fmt::format("{}, {} STRING", ddl, kBroken), true);
  messages = connect::Project(
      std::move(messages),
      {"partition", "offset", "value",
       fmt::format("from_json(CAST(value AS STRING), {}, map('mode', 'PERMISSIVE', "
                   "'columnNameOfCorruptRecord', '{}')) AS event",
                   with_broken, kBroken)});
  const std::string fits = fmt::format("event IS NOT NULL AND event.{} IS NULL", kBroken);
  return connect::Project(std::move(messages), {EventOrError(fits, "event")});
}

Result<Relation> EventsOf(Relation messages, bool text, const arrow::Schema& columns) {
  if (text) {
    const std::string column = connect::SparkName(columns.field(0)->name());
    messages = connect::Project(std::move(messages), {EventOrError("true", "value")});
    return connect::Project(std::move(messages), {"CAST(value AS STRING) AS " + column});
  }
  PT_LET(messages, ParseJson(std::move(messages), columns));
  std::vector<std::string> cells;
  for (const auto& field : columns.fields()) {
    cells.push_back(fmt::format("event.{0} AS {0}", connect::SparkName(field->name())));
  }
  return connect::Project(std::move(messages), cells);
}

// NULL is written, as by streams that run here.
std::string JsonOf(const arrow::Schema& columns) {
  std::vector<std::string> names;
  for (const auto& field : columns.fields()) names.push_back(connect::SparkName(field->name()));
  return fmt::format("to_json(struct({}), map('ignoreNullFields', 'false'))",
                     fmt::join(names, ", "));
}

}  // namespace

Result<Relation> FollowTopic(SparkSession& session, const QueryEvents& events,
                             const arrow::Schema& columns, const Call& call) {
  PT_LET(Relation messages, connect::Read(kFormat, {}, nullptr, ReadOptions(events)));
  messages = connect::AsStream(std::move(messages), {});
  PT_TRY(TopicFault(*events.topic, session.Schema(messages, call).status()));
  return EventsOf(std::move(messages), events.text, columns);
}

Relation AsMessages(Relation rows, const arrow::Schema& columns, const QueryMessages& sink) {
  const std::string value = sink.text.empty()
                                ? JsonOf(columns)
                                : fmt::format("coalesce({}, '')", connect::SparkName(sink.text));
  std::vector<std::string> message = {value + " AS value"};
  if (!sink.key.empty()) {
    message.push_back(fmt::format("CAST({} AS STRING) AS key", connect::SparkName(sink.key)));
  }
  return connect::Project(std::move(rows), message);
}

connect::Options MessageOptions(const QueryTopic& topic) {
  connect::Options options = ConnectionOptions(topic);
  options["topic"] = topic.name;
  return options;
}

Status TopicFault(const QueryTopic& topic, const Status& status) {
  if (status.ok()) return status;
  Fault said = FaultOf(status);
  const std::string text = said.what + "\n" + said.why;
  const std::string place = topic.name + " at " + topic.servers;
  if (Mentions(text, {"DATA_SOURCE_NOT_FOUND", "Failed to find data source: kafka"})) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the Spark server has no connector for Kafka",
                 .where = place,
                 .fix = "start the server with --conf spark.jars.packages="
                        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0, in the version that "
                        "fits its Spark"});
  }
  if (Mentions(text, {"UnknownTopicOrPartition"})) {
    return Fail({.exit = Exit::kRemote,
                 .what = "there is no topic of this name",
                 .where = place,
                 .kept = "nothing was written"});
  }
  if (Mentions(text, {"TimeoutException", "No resolvable bootstrap urls"})) {
    return Fail({.exit = Exit::kRemote,
                 .what = "Spark does not reach the servers of Kafka",
                 .where = place,
                 .why = said.why.empty() ? said.what : said.why,
                 .fix = "Spark's server and executors must reach them at this address"});
  }
  return status;
}

}  // namespace protium
