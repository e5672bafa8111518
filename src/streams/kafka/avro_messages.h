// SPDX-License-Identifier: Apache-2.0
// Makes rows of messages in Avro: a schema registry's framing (a byte 0, the number of the schema
// in four bytes, the highest first) and a record behind it, or without a registry a record alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kafka/message_schemas.h"
#include "kafka/open.h"
#include "records/avro_rows.h"

namespace protium {

// One thread.
class AvroMessages {
 public:
  // Without options.columns they are those of the schema that is known first (MessageSchemas).
  // Refuses (kUsage) columns that cannot be read from it.
  static Result<AvroMessages> Make(const KafkaSourceOptions& options);

  const SchemaPtr& columns() const { return rows_.columns(); }

  // Makes sure that the schema of the message is known; false: its registry does not respond.
  Result<bool> Learn(std::string_view message);
  std::vector<int32_t> TakeUnknown() { return schemas_.TakeUnknown(); }

  // Numbers of schemas that there are not, for messages that are added from here on.
  void SetUnknown(const std::vector<int32_t>& ids) { unknown_ = {ids.begin(), ids.end()}; }
  // Adds a message; returns the first field that is no column, empty if there is none. Refuses
  // (kInput) what cannot become a row, and adds nothing.
  Result<std::string> Add(std::string_view message);
  Result<std::shared_ptr<arrow::RecordBatch>> Finish() { return rows_.Finish(); }

 private:
  // How records of a schema are read, or why they are not.
  using Reading = Result<AvroReading>;
  AvroMessages(MessageSchemas schemas, AvroRows rows, Columns optional, bool known_only);
  Reading ReadingFor(Result<AvroSchemaPtr> writer) const;
  Result<const Reading*> ReadingOfId(int32_t id);

  MessageSchemas schemas_;
  AvroRows rows_;
  Columns optional_;
  bool known_only_ = false;  // Refuses fields that are no columns.
  std::set<int32_t> unknown_;
  std::map<int32_t, Reading> readings_;
  std::optional<Reading> bare_;  // Of messages without a number.
};

}  // namespace protium
