// SPDX-License-Identifier: Apache-2.0
#include "inference/json_answer.h"

#include <arrow/api.h>

#include <vector>

#include "column/cells.h"

namespace protium {
namespace {

// The keys with everything before their values: {"x": and ,"y":
std::vector<std::string> Keys(const arrow::RecordBatch& batch) {
  std::vector<std::string> keys;
  for (int c = 0; c < batch.num_columns(); ++c) {
    keys.push_back((c == 0 ? "{" : ",") + Dump(batch.column_name(c)) + ":");
  }
  return keys;
}

void AppendRow(const arrow::RecordBatch& batch, const std::vector<std::string>& keys, int64_t row,
               std::string& text) {
  for (size_t c = 0; c < keys.size(); ++c) {
    text += keys[c];
    text += Dump(CellJson(*batch.column(int(c)), row));
  }
  text += keys.empty() ? "{}" : "}";
}

}  // namespace

std::string RowToJson(const arrow::RecordBatch& batch, int64_t row) {
  std::string text;
  AppendRow(batch, Keys(batch), row, text);
  return text;
}

std::string RowsToJson(const arrow::RecordBatch& batch) {
  const std::vector<std::string> keys = Keys(batch);
  std::string text = "[";
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    if (i > 0) text += ',';
    AppendRow(batch, keys, i, text);
  }
  return text + "]";
}

std::string ColumnsToJson(const arrow::RecordBatch& batch) {
  const std::vector<std::string> keys = Keys(batch);
  std::string text = keys.empty() ? "{" : "";
  for (size_t c = 0; c < keys.size(); ++c) {
    text += keys[c] + "[";
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      if (i > 0) text += ',';
      text += Dump(CellJson(*batch.column(int(c)), i));
    }
    text += ']';
  }
  return text + "}";
}

}  // namespace protium
