// SPDX-License-Identifier: Apache-2.0
#include "format/row_text.h"

#include <arrow/type.h>

#include "format/cell_text.h"

namespace protium {

RowText::RowText(const arrow::Schema& columns) {
  for (const auto& field : columns.fields()) {
    keys_.emplace_back(keys_.empty() ? "{" : ", ");
    AppendJsonText(field->name(), keys_.back());
    keys_.back() += ": ";
  }
}

void RowText::AppendCsv(const arrow::RecordBatch& rows, int64_t row, std::string& text) {
  for (int i = 0; i < rows.num_columns(); ++i) {
    if (i > 0) text += ',';
    AppendCsvCell(*rows.column(i), row, text);
  }
}

void RowText::AppendJson(const arrow::RecordBatch& rows, int64_t row, std::string& text) const {
  for (int i = 0; i < rows.num_columns(); ++i) {
    text += keys_[static_cast<size_t>(i)];
    AppendJsonCell(*rows.column(i), row, text);
  }
  text += '}';
}

}  // namespace protium
