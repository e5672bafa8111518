// SPDX-License-Identifier: Apache-2.0
// A row as one line of text, without its end: in files, and as a message.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

// For rows with the columns of one schema, which the format holds (CheckHolds()). Immutable.
class RowText {
 public:
  RowText() = default;
  explicit RowText(const arrow::Schema& columns);

  // Appends the cells of a line of CSV.
  static void AppendCsv(const arrow::RecordBatch& rows, int64_t row, std::string& text);
  // Appends a JSON object with every key.
  void AppendJson(const arrow::RecordBatch& rows, int64_t row, std::string& text) const;

 private:
  std::vector<std::string> keys_;  // The text before each value of JSON.
};

}  // namespace protium
