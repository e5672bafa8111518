// SPDX-License-Identifier: Apache-2.0
// Topics of Kafka as sources and sinks of streams, in a library of its own, libprotium_kafka.so,
// which only streams open: nothing else carries a client of Kafka.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "column/source.h"
#include "flow/flow.h"
#include "flow/options.h"
#include "protium/sources.h"

namespace protium {

// What the bytes of a message are. JSON: an object. CSV: one line, without a header. Text: the
// value of the only column. Avro, which is only read: a record in its binary form.
enum class MessageFormat { kJson, kCsv, kText, kAvro };
inline EnumNames<MessageFormat> Names(MessageFormat) {
  return {{{MessageFormat::kJson, "json"},
           {MessageFormat::kCsv, "csv"},
           {MessageFormat::kText, "text"},
           {MessageFormat::kAvro, "avro"}}};
}

struct KafkaConnection {
  std::string servers;  // "host:9092,host:9093"
  std::string topic;
  // The stream's: one of a kind, and the same whenever it is started. It names the consumer group
  // and the transactions, "protium-stream-NAME".
  std::string name;
  // Settings of librdkafka by their names: texts, numbers and booleans; { env = "NAME" } or
  // { file = "path" } for what is secret, which stays in this process.
  Json settings = Json::object();
  std::string where;  // Of the options in the job, for faults: "stream.source".
  // How long to wait for a server that does not respond.
  std::chrono::milliseconds patience{10'000};
  std::function<void(const std::string&)> note;  // Receives lines for people. May be empty.
  std::stop_token stop;                          // Ends waiting.
};

// Of messages in Avro. At least one of `schema` and `registry`.
struct AvroOptions {
  std::string schema;    // Its text, in JSON. Without a registry all messages are of it.
  std::string registry;  // "https://user@host:8081": messages begin with numbers of its schemas.
  PasswordPlace password;
  std::filesystem::path folder;  // Where schemas of the registry are kept.
  // Whether a stream waits for a registry as long as it is silent, or no longer than `patience`.
  bool waits = true;
};

struct KafkaSourceOptions {
  KafkaConnection kafka;
  MessageFormat format = MessageFormat::kJson;
  AvroOptions avro;
  SchemaPtr columns;  // EventColumns(). Null, of Avro alone: those of its schema.
  Columns optional;   // The columns that a line of CSV may leave out, all of them.
  NewColumns new_columns = NewColumns::kIgnore;
  CsvOptions csv;
  // "earliest", "latest", a time in UTC such as "2026-11-01 12:00:00", or offsets of partitions,
  // "0:4711, 1:12"; those not named begin at their earliest.
  std::string start = "earliest";
  // Unset: all partitions of the topic.
  std::optional<int32_t> partition;
  // How often to look whether the topic has been given more partitions.
  std::chrono::milliseconds look_for_partitions{30'000};
};

struct KafkaSinkOptions {
  KafkaConnection kafka;
  MessageFormat format = MessageFormat::kJson;
  std::string key;  // The column whose values are keys; empty: none.
  Delivery delivery = Delivery::kOnce;
  // How long writing a batch may take; Kafka then ends its transaction.
  std::chrono::milliseconds most{60'000};
};

// Refuses (kUsage) columns that messages of text cannot be.
Status CheckTextMessages(const arrow::Schema& columns);
// Of rows of these columns: the position of that with the keys of messages, -1 for an empty name;
// and of that which messages of text hold, the only one beside the key. Refuse (kUsage) others.
Result<int> KeyColumn(const arrow::Schema& columns, const std::string& key);
Result<int> TextColumn(const arrow::Schema& columns, int key);

// Connects. Faults, each after `patience` at most: servers that do not respond (kRemote), an
// unknown topic, a wrong password, settings that librdkafka does not know (kUsage).
Result<std::unique_ptr<StreamSource>> OpenKafkaSource(const KafkaSourceOptions& options);
Result<std::unique_ptr<StreamSink>> OpenKafkaSink(const KafkaSinkOptions& options);
// How many partitions the topic has. Faults are the same.
Result<int32_t> CountPartitions(const KafkaConnection& connection);

// Increases whenever the layout of what is declared here or in flow/flow.h changes.
inline constexpr int32_t kKafkaLibraryVersion = 4;

// The library's only entry point, protium_open_kafka: opens what is not null. Returns false if it
// was built for another version.
struct KafkaRequest {
  const KafkaSourceOptions* source = nullptr;
  const KafkaSinkOptions* sink = nullptr;
  const KafkaConnection* topic = nullptr;  // Whose partitions are counted.
};
struct KafkaEnds {
  Result<std::unique_ptr<StreamSource>> source{std::unique_ptr<StreamSource>()};
  Result<std::unique_ptr<StreamSink>> sink{std::unique_ptr<StreamSink>()};
  Result<int32_t> partitions{0};
};
using KafkaEntry = bool (*)(int32_t version, const KafkaRequest& request, KafkaEnds& ends);

}  // namespace protium
