// SPDX-License-Identifier: Apache-2.0
// Makes rows of the bytes of messages. A message that cannot become a row becomes a dead letter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/csv_scan.h"
#include "kafka/open.h"
#include "records/record_rows.h"

namespace protium {

// One thread.
class MessageRows {
 public:
  // Refuses (kUsage) columns that the format cannot have. `note` receives each new column that is
  // ignored, once.
  static Result<MessageRows> Make(const KafkaSourceOptions& options);

  const SchemaPtr& columns() const { return rows_.columns(); }

  // Adds a message; nullopt is a null payload. `place` says where it stands. Fails only for a new
  // column if that is to stop the stream.
  Status Add(const std::function<std::string()>& place, std::optional<std::string_view> bytes);
  // Returns what was added, and begins anew.
  Result<StreamRows> Finish();

 private:
  MessageRows(const KafkaSourceOptions& options, RecordRows rows)
      : options_(options), rows_(std::move(rows)) {}
  Status AddRow(std::string_view text, const std::function<std::string()>& place);
  Status AddCsv(std::string_view text);

  KafkaSourceOptions options_;
  RecordRows rows_;
  std::vector<DeadLetter> dead_;
  std::vector<std::string> ignored_;
  std::vector<CsvCell> found_;
  std::vector<std::optional<std::string_view>> cells_;
  std::vector<std::string> held_;
};

}  // namespace protium
