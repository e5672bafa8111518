// SPDX-License-Identifier: Apache-2.0
// The bytes of messages, of rows.
#pragma once

#include <arrow/record_batch.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/row_text.h"
#include "kafka/open.h"

namespace protium {

class MessageTexts {
 public:
  // Refuses (kUsage) columns that the format cannot hold, and a key that is no column.
  static Result<MessageTexts> Make(const arrow::Schema& columns, const KafkaSinkOptions& options);

  // Appends the message of a row to `text`. JSON: an object with all columns. CSV: one line,
  // without its end. Text: the value; a NULL is empty.
  void Append(const arrow::RecordBatch& rows, int64_t row, std::string& text) const;

  bool has_key() const { return key_ >= 0; }
  // Appends the key of a row to `text`; false if it is NULL.
  bool AppendKey(const arrow::RecordBatch& rows, int64_t row, std::string& text) const;

 private:
  MessageTexts() = default;

  MessageFormat format_ = MessageFormat::kJson;
  int key_ = -1;
  int value_ = -1;  // Of text: its column.
  RowText row_;
};

}  // namespace protium
