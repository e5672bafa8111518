// SPDX-License-Identifier: Apache-2.0
#include "kafka/avro_messages.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "records/dead_letter.h"

namespace protium {
namespace {

constexpr size_t kFrameBytes = 5;
// Schemas that are ready for use; others are read again.
constexpr size_t kMostReadings = 1000;

bool HasFrame(std::string_view message) {
  return message.size() >= kFrameBytes && message.front() == '\0';
}

int32_t IdOf(std::string_view message) {
  uint32_t id = 0;
  for (size_t i = 1; i < kFrameBytes; ++i) id = id << 8 | static_cast<unsigned char>(message[i]);
  return static_cast<int32_t>(id);
}

// The fault of a schema that is known when the stream starts.
Status AtStart(const Status& status, const KafkaSourceOptions& options) {
  Fault fault = FaultOf(status);
  if (fault.exit != Exit::kInput) return status;
  fault.exit = Exit::kUsage;
  const std::string key = options.avro.schema.empty() ? ".registry" : ".schema";
  fault.where = options.kafka.where + key + (fault.where.empty() ? "" : ": " + fault.where);
  fault.kept = "nothing was started";
  return Fail(std::move(fault));
}

// Of columns that are given, each must be in the schema, or may be absent.
Result<SchemaPtr> ColumnsFor(const KafkaSourceOptions& options, const AvroSchemaPtr& reader) {
  if (options.columns == nullptr && reader == nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the columns of the messages are not known: the schema registry has no "
                         "schemas of " +
                         options.kafka.topic + "-value",
                 .where = options.kafka.where,
                 .fix = "columns = { id = \"int64\", name = \"string\" }, or schema = \"FILE\"",
                 .kept = "nothing was started"});
  }
  if (options.columns == nullptr) {
    auto columns = AvroColumns(*reader);
    if (columns.ok()) return columns;
    return AtStart(columns.status(), options);
  }
  if (reader != nullptr) {
    const auto reading = ReadingOf(reader, reader, *options.columns, options.optional);
    if (!reading.ok()) return AtStart(reading.status(), options);
  }
  return options.columns;
}

}  // namespace

AvroMessages::AvroMessages(MessageSchemas schemas, AvroRows rows, Columns optional, bool known_only)
    : schemas_(std::move(schemas)),
      rows_(std::move(rows)),
      optional_(std::move(optional)),
      known_only_(known_only) {}

Result<AvroMessages> AvroMessages::Make(const KafkaSourceOptions& options) {
  auto opened = MessageSchemas::Open(options.avro, options.kafka);
  if (!opened.ok()) return AtStart(opened.status(), options);
  PT_LET(SchemaPtr columns, ColumnsFor(options, opened->reader()));
  PT_LET(AvroRows rows, AvroRows::Make(std::move(columns)));
  AvroMessages made(*std::move(opened), std::move(rows), options.optional,
                    options.new_columns == NewColumns::kDead);
  if (!made.schemas_.framed()) made.bare_ = made.ReadingFor(made.schemas_.reader());
  return made;
}

AvroMessages::Reading AvroMessages::ReadingFor(Result<AvroSchemaPtr> writer) const {
  PT_TRY(writer.status());
  PT_LET(AvroReading reading,
         ReadingOf(*std::move(writer), schemas_.reader(), *rows_.columns(), optional_));
  if (!known_only_ || reading.unknown.empty()) return reading;
  return RefuseEvent(fmt::format("the event has a new column, \"{}\"", reading.unknown));
}

Result<bool> AvroMessages::Learn(std::string_view message) {
  if (!schemas_.framed() || !HasFrame(message) || IdOf(message) < 0) return true;
  if (readings_.contains(IdOf(message))) return true;
  return schemas_.Learn(IdOf(message));
}

Result<const AvroMessages::Reading*> AvroMessages::ReadingOfId(int32_t id) {
  const auto known = readings_.find(id);
  if (known != readings_.end()) return &known->second;
  Result<AvroSchemaPtr> schema = schemas_.Find(id);
  // A schema that is refused refuses its messages; one that cannot be had now does not.
  if (!schema.ok() && FaultOf(schema.status()).exit != Exit::kInput) return schema.status();
  if (readings_.size() >= kMostReadings) readings_.clear();
  return &readings_.emplace(id, ReadingFor(std::move(schema))).first->second;
}

Result<std::string> AvroMessages::Add(std::string_view message) {
  const Reading* reading = bare_ ? &*bare_ : nullptr;
  if (!bare_) {
    if (!HasFrame(message)) {
      return RefuseEvent("the message does not begin with a byte 0 and the number of its schema");
    }
    const int32_t id = IdOf(message);
    message.remove_prefix(kFrameBytes);
    if (id < 0 || unknown_.contains(id)) {
      return RefuseEvent(fmt::format("the schema registry has no schema {}", id));
    }
    PT_LET(reading, ReadingOfId(id));
    if (!reading->ok()) {
      const Fault fault = FaultOf(reading->status());
      return RefuseEvent(fmt::format(
          "schema {}: {}", id, fault.where.empty() ? fault.what : fault.where + ": " + fault.what));
    }
  }
  PT_TRY(reading->status());
  PT_TRY(rows_.Add(**reading, message));
  return (*reading)->unknown;
}

}  // namespace protium
