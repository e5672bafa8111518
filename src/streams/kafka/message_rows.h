// SPDX-License-Identifier: Apache-2.0
// Makes rows of the bytes of messages. A message that cannot become a row becomes a dead letter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/csv_scan.h"
#include "kafka/avro_messages.h"
#include "kafka/open.h"
#include "records/record_rows.h"

namespace protium {

// One thread.
class MessageRows {
 public:
  // Refuses (kUsage) columns that the format cannot have. `note` receives each new column that is
  // ignored, once.
  static Result<MessageRows> Make(const KafkaSourceOptions& options);

  const SchemaPtr& columns() const { return avro_ ? avro_->columns() : rows_.columns(); }

  // Whether the message can be added now: false if its schema is not known, because the schema
  // registry does not respond.
  Result<bool> Learn(std::optional<std::string_view> bytes);
  // Numbers of schemas that Learn() has found to be unknown, since the last call; they must be set
  // again before these messages are added.
  std::vector<int32_t> TakeUnknownSchemas();
  void SetUnknownSchemas(const std::vector<int32_t>& ids);

  // Adds a message; nullopt is a null payload. `place` says where it stands. Fails only for a new
  // column if that is to stop the stream.
  Status Add(const std::function<std::string()>& place, std::optional<std::string_view> bytes);
  // Returns what was added, and begins anew.
  Result<StreamRows> Finish();

 private:
  MessageRows(const KafkaSourceOptions& options, RecordRows rows)
      : options_(options), rows_(std::move(rows)) {}
  Status AddBytes(std::string_view bytes, const std::function<std::string()>& place);
  Status TakeNewColumn(const std::string& column, const std::function<std::string()>& place);
  Status AddRow(std::string_view text, const std::function<std::string()>& place);
  Status AddCsv(std::string_view text);

  KafkaSourceOptions options_;
  RecordRows rows_;                   // Of texts.
  std::optional<AvroMessages> avro_;  // Instead of them.
  std::vector<DeadLetter> dead_;
  std::vector<std::string> ignored_;
  std::vector<CsvCell> found_;
  std::vector<std::optional<std::string_view>> cells_;
  std::vector<std::string> held_;
};

}  // namespace protium
