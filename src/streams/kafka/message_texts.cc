// SPDX-License-Identifier: Apache-2.0
#include "kafka/message_texts.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include "base/fault.h"
#include "format/cell_text.h"
#include "format/file_writer.h"

namespace protium {
namespace {

// A text as it is, all else as in a cell of CSV.
void AppendBare(const arrow::Array& column, int64_t row, std::string& text) {
  if (column.type_id() == arrow::Type::STRING) {
    text += static_cast<const arrow::StringArray&>(column).GetView(row);
  } else {
    AppendCsvCell(column, row, text);
  }
}

}  // namespace

Result<MessageTexts> MessageTexts::Make(const arrow::Schema& columns,
                                        const KafkaSinkOptions& options) {
  if (options.format == MessageFormat::kAvro) {
    return Fail({.exit = Exit::kUsage,
                 .what = "messages in Avro are read, and not written",
                 .where = "stream.sink.format",
                 .fix = "json, csv or text",
                 .kept = "nothing was started"});
  }
  MessageTexts texts;
  texts.format_ = options.format;
  const bool json = options.format == MessageFormat::kJson;
  PT_TRY(CheckHolds(columns, json ? Format::kJsonLines : Format::kCsv));
  PT_LET(texts.key_, KeyColumn(columns, options.key));
  if (options.format == MessageFormat::kText) {
    PT_LET(texts.value_, TextColumn(columns, texts.key_));
  }
  texts.row_ = RowText(columns);
  return texts;
}

void MessageTexts::Append(const arrow::RecordBatch& rows, int64_t row, std::string& text) const {
  if (format_ == MessageFormat::kText) {
    const arrow::Array& column = *rows.column(value_);
    if (column.IsValid(row)) AppendBare(column, row, text);
    return;
  }
  format_ == MessageFormat::kJson ? row_.AppendJson(rows, row, text)
                                  : RowText::AppendCsv(rows, row, text);
}

bool MessageTexts::AppendKey(const arrow::RecordBatch& rows, int64_t row, std::string& text) const {
  const arrow::Array& column = *rows.column(key_);
  if (column.IsNull(row)) return false;
  AppendBare(column, row, text);
  return true;
}

}  // namespace protium
